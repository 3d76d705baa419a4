/** Prefixes on the wire (RFC 4271 section 4.3 and RFC 4760 section 5): a length in bits, then as many octets as it needs. */
import type { Family } from './message.ts';
import { BgpError, ErrorCode } from './notification.ts';

/** Prefixes of one family: 1 or 4 words each, host bits zero. Structurally the rows of the core's tables. */
export interface Rows {
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
}

export interface Nlri extends Rows {
  readonly family: Family;
  readonly size: number;
}

export function wordsPerAddress(family: Family): number {
  return family === 'ipv4' ? 1 : 4;
}

/** Most octets a prefix of the family takes. */
export function maxPrefixOctets(family: Family): number {
  return family === 'ipv4' ? 5 : 17;
}

/** Writes prefix `row` at `at` and returns where the next one goes. Hot: no allocation, four octets per shift chain. */
export function writePrefix(target: Uint8Array, at: number, rows: Rows, stride: number, row: number): number {
  const length = rows.lengths[row]!;
  target[at] = length;
  const octets = (length + 7) >>> 3;
  let word = 0;
  for (let i = 0; i < octets; i++) {
    if ((i & 3) === 0) word = rows.words[row * stride + (i >>> 2)]!;
    target[at + 1 + i] = word >>> (24 - ((i & 3) << 3));
  }
  return at + 1 + octets;
}

/**
 * All prefixes of `octets`; bits past a prefix's length are cleared, as their value is irrelevant (RFC 4271 section 4.3).
 * @throws BgpError UPDATE Message Error with `subcode` on a length over the family's or a prefix cut short.
 */
export function decodeNlri(family: Family, octets: Uint8Array, subcode: number): Nlri {
  const stride = wordsPerAddress(family);
  const size = countPrefixes(family, octets, subcode);
  const words = new Uint32Array(size * stride);
  const lengths = new Uint8Array(size);
  let at = 0;
  for (let row = 0; row < size; row++) {
    const length = octets[at]!;
    const bytes = (length + 7) >>> 3;
    lengths[row] = length;
    for (let i = 0; i < bytes; i++)
      words[row * stride + (i >>> 2)]! |= octets[at + 1 + i]! << (24 - ((i & 3) << 3));
    const lastWord = row * stride + ((length - 1) >>> 5);
    if ((length & 31) !== 0) words[lastWord]! &= ~(0xffff_ffff >>> (length & 31));
    at += 1 + bytes;
  }
  return { family, size, words, lengths };
}

function countPrefixes(family: Family, octets: Uint8Array, subcode: number): number {
  const longest = family === 'ipv4' ? 32 : 128;
  let count = 0;
  let at = 0;
  for (; at < octets.length; count++) {
    const length = octets[at]!;
    if (length > longest) {
      throw new BgpError(ErrorCode.update, subcode, `prefix length ${length} is over ${longest}`);
    }
    at += 1 + ((length + 7) >>> 3);
  }
  if (at !== octets.length) throw new BgpError(ErrorCode.update, subcode, 'the last prefix is cut short');
  return count;
}
