/** JSON with only one form (RFC 8785), so that equal values are equal bytes and a signature means the same to every reader. */
import { corrupt, orCorrupt } from './bundle-error.ts';

/** No file of a bundle nests nearly this deep. */
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
 * Reads only what {@link canonicalJson} writes; for example no duplicate members, which readers may understand differently.
 * @param part the file, for the error message
 * @throws {BundleError} `bundle_corrupt`
 */
export function parseCanonicalJson(bytes: Uint8Array, part: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw corrupt(`${part} is not JSON`, error);
  }
  // Nothing is verified yet: the content may be malicious.
  const text = orCorrupt(RangeError, () => canonicalJson(value));
  if (!Buffer.from(text).equals(bytes)) throw corrupt(`${part} is not canonical JSON`);
  return value;
}
