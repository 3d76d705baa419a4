/** JSON with one form only (RFC 8785), so that equal values are equal bytes and a signature says the same to every reader. */
import { corrupt } from './bundle-error.ts';

/** Members sorted by UTF-16 code unit, no white space, numbers and strings as ECMAScript writes them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
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
  if (!Buffer.from(canonicalJson(value)).equals(bytes)) throw corrupt(`${part} is not canonical JSON`);
  return value;
}
