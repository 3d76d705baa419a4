/** One prefix: read, written, compared. Many prefixes are a {@link PrefixList}: columns, never objects. */
import { type Address, type Family, type Parsed, bitsOf, formatWords, widthOf } from './address.ts';
import { explainAddress, isMapped, quoted, scanIpv4, scanIpv6 } from './address-scan.ts';
import { clearHostBits, hasHostBits } from './bits.ts';

export interface Prefix extends Address {
  readonly length: number;
}

/**
 * Prefixes of one family in columns: prefix `i` has `lengths[i]` bits and its address in the 1 (IPv4) or 4 (IPv6) words from
 * `words[i]` or `words[4 * i]` on. Host bits are zero.
 */
export interface PrefixList {
  readonly family: Family;
  readonly size: number;
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
}

/**
 * Reads a prefix; a bare address is its host prefix. If host bits are set, it is rejected with both possible readings; so is anything
 * within IPv4-mapped IPv6.
 */
export function parsePrefix(text: string): Parsed<Prefix> {
  const bytes = Buffer.from(text, 'utf8');
  const scanner = new PrefixScanner();
  if (scanner.scan(bytes, 0, bytes.length) !== bytes.length)
    return { ok: false, reason: explainPrefix(text) };
  const { family, length } = scanner;
  return {
    ok: true,
    value: { family, length, words: Array.from(scanner.words.subarray(0, widthOf(family))) },
  };
}

/** Canonical text, `192.0.2.0/24` or RFC 5952 followed by the length. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatWords(prefix.family, prefix.words, 0)}/${prefix.length}`;
}

/** Prefix `i` of a list as a value. For output and small numbers; hot paths use the columns. */
export function prefixAt(list: PrefixList, i: number): Prefix {
  if (i < 0 || i >= list.size) throw new RangeError(`Prefix ${i} is not in a list of ${list.size}`);
  const width = widthOf(list.family);
  return {
    family: list.family,
    words: Array.from(list.words.subarray(i * width, (i + 1) * width)),
    length: list.lengths[i]!,
  };
}

/** Text of prefix `i`, without an object in between. */
export function formatPrefixAt(list: PrefixList, i: number): string {
  return `${formatWords(list.family, list.words, i * widthOf(list.family))}/${list.lengths[i]!}`;
}

export function* prefixesOf(list: PrefixList): IterableIterator<Prefix> {
  for (let i = 0; i < list.size; i++) yield prefixAt(list, i);
}

/**
 * Reads prefixes out of bytes and leaves the last one in its fields, so that a million lines make no garbage.
 */
export class PrefixScanner {
  readonly words = new Uint32Array(4);
  family: Family = 'ipv4';
  length = 0;

  /** Reads `address` or `address/length` from `start` on. Returns the position behind it, or -1 when that is no prefix. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    let at = this.scanAddress(bytes, start, end);
    if (at < 0 || at >= end || bytes[at] !== 0x2f) return at;
    if (at + 1 < end && bytes[at + 1] === 0x2f) return at;
    let length = -1;
    const digitsStart = ++at;
    for (; at < end; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      if (length === 0 || at - digitsStart === 3) return -1;
      length = length < 0 ? digit : length * 10 + digit;
    }
    if (length < 0 || length > this.length || hasHostBits(this.words, 0, length, widthOf(this.family)))
      return -1;
    this.length = length;
    return at;
  }

  /** Like {@link scan} without a length: the host prefix. */
  scanAddress(bytes: Uint8Array, start: number, end: number): number {
    let at = scanIpv4(bytes, start, end, this.words);
    if (at >= 0) {
      this.family = 'ipv4';
      this.length = 32;
      return at;
    }
    at = scanIpv6(bytes, start, end, this.words);
    if (at < 0 || isMapped(this.words)) return -1;
    this.family = 'ipv6';
    this.length = 128;
    return at;
  }
}

/** Why {@link parsePrefix} rejects this text. */
export function explainPrefix(text: string): string {
  const slash = text.indexOf('/');
  if (slash >= 0 && /\S\s+\S/.test(text))
    return `${quoted(text)} is more than one word: write one prefix, and others on lines of their own`;
  if (slash < 0) return explainAddress(text);
  const addressText = text.slice(0, slash);
  const lengthText = text.slice(slash + 1);
  const bytes = Buffer.from(addressText, 'utf8');
  const scanner = new PrefixScanner();
  if (scanner.scanAddress(bytes, 0, bytes.length) !== bytes.length) return explainAddress(addressText);
  const { family, words } = scanner;
  const bits = bitsOf(family);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(lengthText) || Number(lengthText) > bits) {
    const hint = lengthText.includes('.') ? ', not a netmask' : '';
    return `${quoted(text)} has no valid length behind the slash: write a number from 0 to ${bits}${hint}`;
  }
  const address = formatWords(family, words, 0);
  clearHostBits(words, 0, Number(lengthText), widthOf(family));
  const network = `${formatWords(family, words, 0)}/${lengthText}`;
  return `${text} has host bits set: write ${network} for the network or ${address}/${bits} for the address`;
}
