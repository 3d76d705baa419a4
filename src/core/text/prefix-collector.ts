/**
 * Collects prefixes from lists: accepted ones go into columns as read, rejected ones are reported by line. A text has one strict reading or
 * none; nothing is guessed.
 */
import { type Family, widthOf } from '../address.ts';
import { compareWords } from '../bits.ts';
import { readPlainLines } from './ipv4-lines.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import { PrefixScanner, type PrefixList } from '../prefix.ts';

export interface Reject {
  /** Line of the text, or index of the value; the first is 1. */
  readonly line: number;
  /** The rejected text, at most 200 characters, control characters replaced. */
  readonly text: string;
  readonly reason: string;
}

/** Prefixes as read, in order, with their duplicates. */
export type CollectedRows = PrefixList;

export interface CollectedPrefixes {
  readonly ipv4: CollectedRows;
  readonly ipv6: CollectedRows;
  /** Lines or values with prefixes; a range may give several. */
  readonly accepted: number;
  readonly rejectedCount: number;
  /** How many of these repeat another row; absent: none. */
  readonly repeatedCount?: number;
  /** The first 1,000 rejects. */
  readonly rejects: readonly Reject[];
}

export const MAX_REJECTS = 1000;
export const MAX_REJECT_TEXT = 200;
/** A range of 30 characters can stand for 250 prefixes, so the number of prefixes in memory has its own limit. */
const MAX_COLLECTED = 2 ** 24;

export const TOO_MANY = `The list holds more than ${MAX_COLLECTED} prefixes: split it`;

/** Reads single values (prefix, address or range) out of bytes and collects their prefixes. */
export class PrefixCollector {
  readonly #scanner = new PrefixScanner();
  readonly #first = new Uint32Array(4);
  #isRange = false;
  readonly #found = { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') };
  /** Lines or values accepted so far. */
  taken = 0;
  #rejectedCount = 0;
  readonly #rejects: Reject[] = [];

  /**
   * Scans `prefix`, `address` or `address-address` (blanks around the hyphen allowed) from `start` on. Returns the position
   * behind it, or -1. {@link accept} then takes it.
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    const scanner = this.#scanner;
    this.#isRange = false;
    const at = scanner.scan(bytes, start, end);
    if (at < 0) return -1;
    const hyphen = skipBlanks(bytes, at, end);
    if (hyphen >= end || bytes[hyphen] !== 0x2d) return at;
    const { family } = scanner;
    const width = widthOf(family);
    if (bytes.subarray(start, at).includes(0x2f)) return -1;
    this.#first.set(scanner.words);
    const behind = scanner.scanAddress(bytes, skipBlanks(bytes, hyphen + 1, end), end);
    if (behind < 0 || scanner.family !== family) return -1;
    if (compareWords(this.#first, 0, scanner.words, 0, width) > 0) return -1;
    this.#isRange = true;
    return behind;
  }

  /** Takes what {@link scan} found. False if the list is full and nothing was taken. */
  accept(): boolean {
    const { ipv4, ipv6 } = this.#found;
    if (ipv4.size + ipv6.size >= MAX_COLLECTED) return false;
    const { family, words, length } = this.#scanner;
    if (this.#isRange) this.#found[family].pushRange(this.#first, words);
    else this.#found[family].push(words, 0, length);
    this.taken++;
    return true;
  }

  /** Takes the plain IPv4 lines ({@link readPlainLines}) starting at `from`. Returns the start of the first other line. */
  takePlainLines(view: DataView, from: number): number {
    const { ipv4, ipv6 } = this.#found;
    const before = ipv4.size;
    const end = readPlainLines(view, from, ipv4, MAX_COLLECTED - ipv6.size);
    this.taken += ipv4.size - before;
    return end;
  }

  /** Lends the collected prefixes and forgets them: the next scan overwrites them. */
  lend(): { readonly ipv4: PrefixList; readonly ipv6: PrefixList } {
    const { ipv4, ipv6 } = this.#found;
    const lent = { ipv4: ipv4.toView(), ipv6: ipv6.toView() };
    ipv4.size = 0;
    ipv6.size = 0;
    return lent;
  }

  /** Counts a rejected line; text and reason are only computed for those that are kept. */
  reject(describe: () => Reject): void {
    if (this.#rejectedCount++ < MAX_REJECTS) this.#rejects.push(describe());
  }

  result(): CollectedPrefixes {
    const rows = (family: Family): CollectedRows => this.#found[family].toList();
    const taken = this.taken;
    const rejectedCount = this.#rejectedCount;
    const rejects = this.#rejects;
    return {
      ipv4: rows('ipv4'),
      ipv6: rows('ipv6'),
      accepted: taken,
      rejectedCount,
      rejects: [...rejects],
    };
  }
}

/** Characters around values that are ignored: blanks, the byte order mark, and other invisible ones. */
export const BLANKS = ' \\t\\r\\u00a0\\u200b-\\u200f\\u2060\\ufeff';

/** The first position at or after `at` that has none of {@link BLANKS} (in UTF-8), or `end`. */
export function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  for (;;) {
    if (at >= end) return end;
    const byte = bytes[at]!;
    if (byte === 0x20 || byte === 0x09 || byte === 0x0d) at++;
    else if (byte < 0xc2) return at;
    else if (byte === 0xc2 && at + 1 < end && bytes[at + 1] === 0xa0) at += 2;
    else if (byte >= 0xe2 && at + 2 < end && isInvisible(byte, bytes[at + 1]!, bytes[at + 2]!)) at += 3;
    else return at;
  }
}

/** U+200B to U+200F, U+2060, U+FEFF. */
function isInvisible(a: number, b: number, c: number): boolean {
  if (a === 0xe2) return (b === 0x80 && c >= 0x8b && c <= 0x8f) || (b === 0x81 && c === 0xa0);
  return a === 0xef && b === 0xbb && c === 0xbf;
}
