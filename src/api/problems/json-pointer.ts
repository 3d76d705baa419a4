/** Escapes one token of a JSON Pointer (RFC 6901, section 3). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
