/** Who acts, as revisions, jobs and the audit log name it. */

/** Signs what nobody asked for. */
export const SCHEDULER = 'auto:scheduler';

/**
 * One name for all who made the edits that a revision holds, or that lead to it.
 * @param editors in the order of their names
 * @param otherwise where nobody made any, such as where time went by
 */
export function actorOfEdits<T extends string | null>(editors: readonly string[], otherwise: T): string | T {
  const [first, ...others] = editors;
  if (first === undefined) return otherwise;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
