/**
 * Reads prefixes from text lists and from single values, with one strict reading.
 *
 *     198.51.100.0/24               prefix
 *     198.51.100.7                  address: its host prefix
 *     198.51.100.0-198.51.100.9     range, both ends included, blanks around the hyphen allowed
 *     198.51.100.0/24 # text        comment behind "#", ";" or "//", which may also begin a line
 *     198.51.100.0/24,DE,,          further fields behind a comma, as long as none holds an address too
 *
 * Lines end in LF or CR LF. Blanks, a byte order mark and zero-width characters may stand around a value, never inside.
 */
import type { LineTaker } from './line-taker.ts';
import { PrefixCollector, TOO_MANY, skipBlanks, type CollectedPrefixes } from './prefix-collector.ts';
import { type PrefixList, PrefixScanner } from '../prefix.ts';
import { explainLine, explainValue, shownText } from './prefix-reasons.ts';

export type { CollectedPrefixes, CollectedRows, Reject } from './prefix-collector.ts';

/** Longer lines are rejected, so that a source without line ends can't fill the memory. */
const MAX_LINE_BYTES = 65_536;

const LF = 0x0a;
const COMMA = 0x2c;

/** Reads a text list that is completely in memory. O(bytes). Never throws. */
export function parsePrefixText(bytes: Uint8Array): CollectedPrefixes {
  const reader = new PrefixTextReader();
  reader.push(bytes);
  return reader.finish();
}

/**
 * Reads single values, such as the strings at a JSON path or the cells of a CSV column: prefix, address or range, without comments or
 * further fields. `line` is called for a rejected value. Never throws.
 */
export function prefixesFromValues(
  values: Iterable<{ readonly line: number; readonly text: string }>,
): CollectedPrefixes {
  const collector = new PrefixCollector();
  for (const { line, text } of values) {
    const bytes = Buffer.from(text.length > 1000 ? text.slice(0, 1000) : text, 'utf8');
    const end = bytes.length;
    const at = collector.scan(bytes, skipBlanks(bytes, 0, end), end);
    const whole = at >= 0 && skipBlanks(bytes, at, end) === end && text.length <= 1000;
    if (!whole) collector.reject(() => ({ line, text: shownText(text), reason: explainValue(text) }));
    else if (!collector.accept()) collector.reject(() => ({ line, text: shownText(text), reason: TOO_MANY }));
  }
  return collector.result();
}

/**
 * Reads a text list in chunks of any size; their boundaries make no difference. Memory: the prefixes and one line. With `takers`, plain
 * lines go to the first one that takes them, and the reader returns the rest.
 */
export class PrefixTextReader {
  readonly #takers: readonly LineTaker[];
  readonly #collector = new PrefixCollector();
  readonly #tailScanner = new PrefixScanner();
  #line = 0;
  /** The beginning of a line that continues in the next chunk, at most one byte longer than a line may be. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(takers: readonly LineTaker[] = []) {
    this.#takers = takers;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    if (this.#pendingBytes > 0) {
      const lineEnd = chunk.indexOf(LF);
      this.#keep(chunk.subarray(0, lineEnd < 0 ? chunk.length : lineEnd));
      if (lineEnd < 0) return;
      this.#readPending();
      at = lineEnd + 1;
    }
    for (const taker of this.#takers) taker.begin(chunk);
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    for (;;) {
      const taken = this.#collector.taken;
      at = this.#takers.length > 0 ? this.#handOver(at) : this.#collector.takePlainLines(view, at);
      this.#line += this.#collector.taken - taken;
      const lineEnd = chunk.indexOf(LF, at);
      if (lineEnd < 0) break;
      this.#readLine(chunk, at, lineEnd);
      at = lineEnd + 1;
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at));
  }

  /**
   * Lends the prefixes found since the last time and forgets them, so that a list of any length needs the memory of its longest chunk. They
   * stay valid until the next push; {@link finish} returns the rest, and counts them all.
   */
  lend(): { readonly ipv4: PrefixList; readonly ipv6: PrefixList } {
    return this.#collector.lend();
  }

  /** Reads the last line, which needs no line end, and returns the result. Nothing may be pushed afterwards. */
  finish(): CollectedPrefixes {
    if (this.#pendingBytes > 0) this.#readPending();
    return this.#collector.result();
  }

  /** Returns the start of the first line that no taker takes. */
  #handOver(from: number): number {
    let at = from;
    let before: number;
    do {
      before = at;
      for (const taker of this.#takers) {
        const { lines } = taker;
        at = taker.takeLines(at);
        this.#collector.taken += taker.lines - lines;
      }
    } while (at > before);
    return at;
  }

  #keep(bytes: Uint8Array): void {
    const kept = bytes.slice(0, MAX_LINE_BYTES + 1 - this.#pendingBytes);
    if (kept.length > 0) this.#pending.push(kept);
    this.#pendingBytes += kept.length;
  }

  #readPending(): void {
    const line = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#readLine(line, 0, line.length);
  }

  #readLine(bytes: Uint8Array, start: number, lineEnd: number): void {
    this.#line++;
    const tooLong = lineEnd - start > MAX_LINE_BYTES;
    const end = tooLong ? start + MAX_LINE_BYTES : lineEnd;
    const valueStart = skipBlanks(bytes, start, end);
    if (valueStart === end ? !tooLong : beginsComment(bytes, valueStart, end)) return;
    if (tooLong) this.#reject(bytes, start, end, `The line is longer than ${MAX_LINE_BYTES} bytes`);
    else if (!this.#scanLine(bytes, valueStart, end)) this.#reject(bytes, start, end, null);
    else if (!this.#collector.accept()) this.#reject(bytes, start, end, TOO_MANY);
  }

  #scanLine(bytes: Uint8Array, start: number, end: number): boolean {
    const behind = this.#collector.scan(bytes, start, end);
    if (behind < 0) return false;
    const at = skipBlanks(bytes, behind, end);
    if (at === end || beginsComment(bytes, at, end)) return true;
    return bytes[at] === COMMA && !this.#hasAddressIn(bytes, at + 1, end);
  }

  /** Whether another field after a comma contains an address too: then it is ambiguous which one is meant. */
  #hasAddressIn(bytes: Uint8Array, start: number, end: number): boolean {
    let field = start;
    for (let at = start; at <= end; at++) {
      if (at < end && bytes[at] !== COMMA) continue;
      let value = skipBlanks(bytes, field, at);
      while (value < at && (bytes[value] === 0x22 || bytes[value] === 0x27)) value++;
      if (beginsComment(bytes, value, at)) return false;
      const behind = this.#tailScanner.scanAddress(bytes, value, at);
      if (behind >= 0 && (behind === at || !isWordByte(bytes[behind]!))) return true;
      field = at + 1;
    }
    return false;
  }

  #reject(bytes: Uint8Array, start: number, end: number, reason: string | null): void {
    const line = this.#line;
    this.#collector.reject(() => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(end - start, 4096)).toString(
        'utf8',
      );
      return { line, text: shownText(text), reason: reason ?? explainLine(text) };
    });
  }
}

/** Whether "#", ";" or "//" begins here. */
function beginsComment(bytes: Uint8Array, at: number, end: number): boolean {
  const byte = bytes[at];
  if (at >= end) return false;
  return byte === 0x23 || byte === 0x3b || (byte === 0x2f && at + 1 < end && bytes[at + 1] === 0x2f);
}

/** A letter, a digit, a dot or a colon: after an address, these would make it part of something else. */
function isWordByte(byte: number): boolean {
  return /[0-9A-Za-z.:]/.test(String.fromCharCode(byte));
}
