import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { formatWords } from '../core/address.ts';
import type { OpenConnection } from '../nftables/chains.ts';

/** State of /proc/net/tcp (include/net/tcp_states.h). */
const ESTABLISHED = '01';
const MAPPED = 0xffff;
/** More connections are left out, because a transaction must not grow without limit. */
const MOST = 20_000;

/**
 * The TCP connections of this host. Connection tracking starts with the first table that uses it, and takes existing connections for new
 * ones.
 */
export async function openConnections(directory = '/proc/self/net'): Promise<OpenConnection[]> {
  const texts = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`${directory}/${name}`, 'latin1').catch(() => '')),
  );
  return texts
    .flatMap((text) => text.split('\n').slice(1))
    .flatMap(readLine)
    .slice(0, MOST);
}

/** `  0: 0100007F:1F90 0200007F:C350 01 …`, of which addresses are words as the machine has them. */
function readLine(line: string): OpenConnection[] {
  const [, local = '', remote = '', state] = line.trim().split(/\s+/);
  if (state !== ESTABLISHED) return [];
  const [, localPort = ''] = local.split(':');
  const [address = '', remotePort = ''] = remote.split(':');
  const words = (address.match(/.{8}/g) ?? []).map(readWord);
  const ports = { localPort: parseInt(localPort, 16), remotePort: parseInt(remotePort, 16) };
  if (words.length === 4 && words[0] === 0 && words[1] === 0 && words[2] === MAPPED)
    return [{ family: 'ipv4', address: formatWords('ipv4', words, 3), ...ports }];
  const family = words.length === 1 ? 'ipv4' : 'ipv6';
  return [{ family, address: formatWords(family, words, 0), ...ports }];
}

function readWord(hex: string): number {
  const bytes = Buffer.from(hex, 'hex');
  return endianness() === 'LE' ? bytes.readUInt32LE() : bytes.readUInt32BE();
}
