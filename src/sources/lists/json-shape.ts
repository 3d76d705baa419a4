/** Limits of JSON, checked on its bytes before it is parsed. */
import { ListTooLongError } from './value-list.ts';

/** Deeper nesting than any list has. */
export const MAX_DEPTH = 64;

/** Each parsed value takes many times the memory of its text. */
const MAX_VALUES = 6_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Why the JSON must not be parsed, or null. Its syntax is left to the parser.
 *
 * @throws ListTooLongError
 */
export function refusedShape(body: Uint8Array): string | null {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) at = closingQuote(body, at + 1);
    else if (byte === 0x2c /* , */) values++;
    else if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      values++;
      if (++depth > MAX_DEPTH) {
        return `The JSON is nested more than ${MAX_DEPTH} levels deep, as no list is: see what the URL serves`;
      }
    } else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) depth--;
  }
  if (values > MAX_VALUES) {
    throw new ListTooLongError(
      `The JSON holds more than ${MAX_VALUES} values: use a shorter list, or split it over several sources`,
    );
  }
  return null;
}

/** Position of the quote that ends the string starting at `at`. */
function closingQuote(body: Uint8Array, at: number): number {
  for (;;) {
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0) return body.length;
    let backslashes = 0;
    while (body[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
