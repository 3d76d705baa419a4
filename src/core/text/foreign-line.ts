const LF = 0x0a;

/**
 * The first line that no text has, and its number from 1; null: all are text.
 * @param isText of a line, or of all of them
 */
export function foreignLine(
  bytes: Uint8Array,
  isText: (bytes: Uint8Array) => boolean,
): { readonly line: number; readonly bytes: Uint8Array } | null {
  if (isText(bytes)) return null;
  let line = 1;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(LF, at);
    const until = end < 0 ? bytes.length : end;
    const own = bytes.subarray(at, until);
    if (!isText(own)) return { line, bytes: own };
    at = until + 1;
  }
  return null;
}
