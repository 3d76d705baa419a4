/** Whether a file is UTF-8: read as such, any other would become another text without a word. */
import { isUtf8 } from 'node:buffer';
import { foreignLine } from '../../core/text/foreign-line.ts';

export const NOT_UTF_8 = 'This is not UTF-8: save the file as CSV in UTF-8';

/** The first line that is not UTF-8, from 1; null: all are. */
export function lineNotUtf8(bytes: Uint8Array): number | null {
  return foreignLine(bytes, isUtf8)?.line ?? null;
}
