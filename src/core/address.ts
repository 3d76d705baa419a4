/**
 * The core: pure values about prefixes. No I/O, no clock, no randomness; bytes in, values out; values are built, then frozen. Text becomes
 * addresses and prefixes here (`address.ts`, `prefix.ts`, `prefix-text.ts`), prefixes become minimal sets (`prefix-set.ts`) and labelled
 * tables (`prefix-table.ts`, `revision-table.ts`), and tables are stored, compared and searched (`table-codec.ts`, `diff.ts`, `lookup.ts`).
 * Every other room is built on these values.
 *
 * Addresses are unsigned 32-bit words in network order: one for IPv4, four for IPv6.
 */
import { scanAddress, explainAddress } from './address-scan.ts';
import type { Family } from './family.ts';

export { FAMILIES, type Family, bitsOf, widthOf } from './family.ts';

/** An address: `words` holds 1 (IPv4) or 4 (IPv6) unsigned 32-bit words in network order. */
export interface Address {
  readonly family: Family;
  readonly words: readonly number[];
}

/** Result of reading text: a value, or a reason that a person can act on. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads an address. IPv4 is four decimal numbers without leading zeros; IPv6 is any form of RFC 4291 section 2.2. IPv4-mapped IPv6 is
 * rejected: it would name the same host twice.
 */
export function parseAddress(text: string): Parsed<Address> {
  const length = text.length > LONGEST_ADDRESS ? -1 : BYTES.write(text);
  const { family, end } = scanAddress(BYTES, 0, length, WORDS);
  if (end !== length || family === null) return { ok: false, reason: explainAddress(text) };
  const words = family === 'ipv4' ? [WORDS[0]!] : Array.from(WORDS);
  return { ok: true, value: { family, words } };
}

/** Characters: eight full groups, the last two as a dotted quad. */
const LONGEST_ADDRESS = 45;
/** Lookups read one address at a time, so the memory is reused; a character takes at most three bytes. */
const BYTES = Buffer.alloc(LONGEST_ADDRESS * 3);
const WORDS = new Uint32Array(4);

/** Canonical text: dotted quad, or RFC 5952 section 4. */
export function formatAddress(address: Address): string {
  return formatWords(address.family, address.words, 0);
}

/** Like {@link formatAddress}, for the address whose first word is `words[at]`. */
export function formatWords(family: Family, words: ArrayLike<number>, at: number): string {
  if (family === 'ipv4') {
    const word = words[at]!;
    return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
  }
  const groups: number[] = [];
  for (let i = at; i < at + 4; i++) groups.push(words[i]! >>> 16, words[i]! & 0xffff);
  const zeros = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
}

/** RFC 5952 section 4.2.3: the longest run of zero groups is shortened, the first of equal ones. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  groups.forEach((group, i) => {
    if (group !== 0) start = i + 1;
    else if (i + 1 - start > best.length) best = { start, length: i + 1 - start };
  });
  return best;
}
