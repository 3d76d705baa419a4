/** Whether a file is UTF-8: read as such, any other would become another text without a word. */
import { isUtf8 } from 'node:buffer';

const LF = 0x0a;

export const NOT_UTF_8 = 'This is not UTF-8: save the file as CSV in UTF-8';

/** The first line that is not UTF-8, from 1. Null: all are. */
export function foreignLine(bytes: Buffer): number | null {
  if (isUtf8(bytes)) return null;
  let line = 1;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(LF, at);
    const until = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(at, until))) return line;
    at = until + 1;
  }
  return line;
}
