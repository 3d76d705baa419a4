/** Which lines of a file the records of CSV stand in, and whether they are text. */
import { isUtf8 } from 'node:buffer';
import { foreignLine } from '../../core/text/foreign-line.ts';

const LF = 0x0a;

/** The parser counts the lines of files with CR LF twice; its offsets are right. */
export class LineCounter {
  readonly #body: Uint8Array;
  #at = 0;
  #line = 1;

  constructor(body: Uint8Array) {
    this.#body = body;
  }

  /** Line where the record begins that ends at `end`, which is behind the one before it. */
  beginOf(end: number): number {
    const begin = this.beginOfNext();
    for (let next = this.#body.indexOf(LF, this.#at); next >= 0 && next < end;) {
      this.#line++;
      next = this.#body.indexOf(LF, next + 1);
    }
    this.#at = end;
    return begin;
  }

  /** Line of the first record behind the last one, past empty lines. */
  beginOfNext(): number {
    for (;;) {
      const end = this.#body.indexOf(LF, this.#at);
      const isBlank = end >= 0 && this.#body.subarray(this.#at, end).every((byte) => byte === 0x0d);
      if (!isBlank) return this.#line;
      this.#at = end + 1;
      this.#line++;
    }
  }
}

/** The first line that no text file has. */
export function unfitLine(body: Uint8Array): { readonly line: number; readonly detail: string } | null {
  const found = foreignLine(body, (bytes) => isUtf8(bytes) && !bytes.includes(0));
  if (found === null) return null;
  const detail = isUtf8(found.bytes)
    ? 'A NUL character stands here. Save the file as CSV in UTF-8, not in UTF-16.'
    : 'This is not UTF-8. Save the file as CSV in UTF-8.';
  return { line: found.line, detail };
}
