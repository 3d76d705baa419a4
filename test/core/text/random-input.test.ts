/**
 * Random input to every parser and to the decoder: none may throw what it does not promise, whatever the bytes. A few thousand
 * inputs each; `FUZZ` multiplies them, `SEED` has others.
 */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/core/address.ts';
import { parseAsn } from '../../../src/core/asn.ts';
import { parseCommunity } from '../../../src/core/community.ts';
import { parseFqdn } from '../../../src/core/fqdn.ts';
import { formatPrefix, parsePrefix } from '../../../src/core/prefix.ts';
import { PrefixTextReader, parsePrefixText, prefixesFromValues } from '../../../src/core/text/prefix-text.ts';
import {
  TableCodecError,
  blockHashes,
  decodeTable,
  encodeTable,
} from '../../../src/core/stored/table-codec.ts';
import { SEED, times } from '../../fuzz.ts';
import { seededRandom, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';

const INPUTS = times(5_000);
const random = seededRandom(SEED);

const PIECES = [
  ...[
    '10.0.0.0/8',
    '192.0.2.1',
    '2001:db8::/32',
    '::1',
    '::ffff:1.2.3.4',
    '255.255.255.255',
    '1.2.3.4-1.2.3.9',
  ],
  ...[
    '/',
    '/32',
    '/129',
    '-',
    ':',
    '::',
    '.',
    ',',
    '#',
    ';',
    '//',
    ' ',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\0',
    '0',
    '00',
  ],
  ...[
    '\ufeff',
    '\u200b',
    '\u00a0',
    '999',
    'f',
    'g',
    'AS1',
    'example.com',
    '*.x',
    'xn--',
    '65000:1',
    '"',
    'é',
    '\ud83d',
  ],
];

/** Pieces of what lists hold, joined and then hurt. */
function randomBytes(): Buffer {
  const count = random() % 12;
  const text = Array.from({ length: count }, () => PIECES[random() % PIECES.length]!).join('');
  const bytes = Buffer.from(text, 'utf8');
  for (let hurt = random() % 3; hurt > 0 && bytes.length > 0; hurt--)
    bytes[random() % bytes.length] = random();
  return bytes;
}

describe('random input', () => {
  it('never breaks the reader of lists, and where it is cut makes no difference', () => {
    for (let i = 0; i < INPUTS; i++) {
      const bytes = randomBytes();
      const whole = parsePrefixText(bytes);
      const reader = new PrefixTextReader();
      let lent = 0;
      for (let at = 0; at < bytes.length;) {
        const next = at + 1 + (random() % 20);
        reader.push(bytes.subarray(at, next));
        at = next;
        if (random() % 4 !== 0) continue;
        const { ipv4, ipv6 } = reader.lend();
        lent += ipv4.size + ipv6.size;
      }
      const { accepted, rejects, ipv4, ipv6 } = reader.finish();
      expect([accepted, rejects]).toEqual([whole.accepted, whole.rejects]);
      expect(lent + ipv4.size + ipv6.size).toBe(whole.ipv4.size + whole.ipv6.size);
    }
  });

  it('never breaks a parser of values; what is accepted reads the same once written', () => {
    for (let i = 0; i < INPUTS; i++) {
      const text = randomBytes().toString(random() % 2 === 0 ? 'utf8' : 'latin1');
      for (const parse of [parseAddress, parseAsn, parseCommunity, parseFqdn]) {
        const parsed = parse(text);
        if (!parsed.ok) expect(parsed.reason).not.toBe('');
      }
      const prefix = parsePrefix(text);
      if (prefix.ok) expect(parsePrefix(formatPrefix(prefix.value))).toEqual(prefix);
      const { accepted, rejectedCount } = prefixesFromValues([{ line: 1, text }]);
      expect(accepted + rejectedCount).toBe(1);
    }
  });

  it('never breaks the decoder: damaged bytes are an error or the same table', () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({
      prefix:
        i % 3 === 0
          ? new BigPrefix('ipv6', BigInt(i) << 64n, 64)
          : new BigPrefix('ipv4', BigInt(i) << 8n, 24),
      label: ['a', 'b', null][i % 3] ?? null,
    }));
    const { manifest, blocks } = encodeTable(tableOf(rows));
    for (let i = 0; i < INPUTS; i++) {
      const hurtManifest = hurt(manifest);
      const hurtBlocks = new Map(
        blocks.map(({ hash, bytes }) => [hash, random() % 2 === 0 ? hurt(bytes) : bytes]),
      );
      try {
        blockHashes(hurtManifest);
        const table = decodeTable(hurtManifest, hurtBlocks);
        expect(encodeTable(table).manifest).toEqual(hurtManifest);
      } catch (error) {
        expect(error).toBeInstanceOf(TableCodecError);
      }
    }
  });
});

function hurt(bytes: Uint8Array): Uint8Array {
  const copy = random() % 8 === 0 ? bytes.slice(0, random() % (bytes.length + 1)) : bytes.slice();
  for (let times = random() % 4; times > 0 && copy.length > 0; times--)
    copy[random() % copy.length] = random();
  return copy;
}
