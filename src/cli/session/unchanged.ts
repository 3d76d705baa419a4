/** Whether an edit has changed anything: who types one twice, or misses what was meant, is to see it. */
import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../nouns/noun.ts';

/**
 * Whether all that was sent was so before. What answers do not show may have changed: secrets are null in them, or missing.
 * @param body the members that were sent
 */
export function isUnchanged(body: Readonly<Record<string, unknown>>, before: Item, after: Item): boolean {
  return Object.keys(body).every((member) => {
    const value = after[member];
    const mayHide =
      value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
    return !mayHide && isDeepStrictEqual(before[member], value);
  });
}
