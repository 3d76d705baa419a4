/** Encoded tables, and one of everything that a table may have. */
import { type EncodedTable } from '../../../src/core/stored/table-codec.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';

export function blocksOf(encoded: EncodedTable): Map<string, Uint8Array> {
  return new Map(encoded.blocks.map(({ hash, bytes }) => [hash, bytes]));
}

export const mixed: readonly { prefix: BigPrefix; label: string | null }[] = [
  { prefix: BigPrefix.all('ipv4'), label: null },
  { prefix: new BigPrefix('ipv4', 0x0a000000n, 8), label: '65000:1' },
  { prefix: new BigPrefix('ipv4', 0x0a000000n, 8), label: 'blackhole' },
  { prefix: new BigPrefix('ipv4', 0x0a000000n, 24), label: '65000:1' },
  { prefix: new BigPrefix('ipv4', 0xffffffffn, 32), label: 'blackhole' },
  { prefix: BigPrefix.all('ipv6'), label: '65000:1:1' },
  { prefix: new BigPrefix('ipv6', 0x20010db8n << 96n, 32), label: '65000:1' },
  { prefix: new BigPrefix('ipv6', (1n << 128n) - 1n, 128), label: 'ü' },
];
