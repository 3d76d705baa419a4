/** Refused lines on standard error: the first ones word for word, the rest as a number. */
import type { ReadList } from './input.ts';
import type { Output } from '../process/output.ts';

/** Reported for each list. */
const SHOWN = 20;

/** Reports the refused lines as `file:line: reason`; returns whether there were any. */
export function reportRejects(errors: Output, list: ReadList): boolean {
  for (const { line, reason } of list.rejects.slice(0, SHOWN)) {
    errors.text(`${list.name}:${line}: ${reason}\n`);
  }
  if (list.rejectedCount > SHOWN) {
    errors.text(
      `${list.name}: ${list.rejectedCount} lines were refused, of which the first ${SHOWN} are above\n`,
    );
  }
  return list.rejectedCount > 0;
}
