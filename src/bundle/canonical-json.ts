/** JSON with one form only (RFC 8785), so that equal values are equal bytes and a signature says the same to every reader. */
import { corrupt, orCorrupt } from './bundle-error.ts';

/** No file of a bundle nests anywhere near this deep. */
const DEEPEST = 32;

/**
 * Members sorted by UTF-16 code unit, no white space, numbers and strings as ECMAScript writes them.
 * @throws {RangeError} for a value nested more than 32 levels deep, which would cost the call stack
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth === DEEPEST) throw new RangeError(`it is nested more than ${DEEPEST} levels deep`);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member, depth + 1)}`).join(',')}}`;
}

/**
 * Reads what {@link canonicalJson} wrote and nothing else: not a member twice, which two readers may understand in two ways.
 * @param part the file, in the words of the error
 * @throws {BundleError} `bundle_corrupt`
 */
export function parseCanonicalJson(bytes: Uint8Array, part: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw corrupt(`${part} is not JSON`, error);
  }
  // Nobody has verified anything yet: whatever stands here may have been written to harm.
  const text = orCorrupt(RangeError, () => canonicalJson(value));
  if (!Buffer.from(text).equals(bytes)) throw corrupt(`${part} is not canonical JSON`);
  return value;
}
