/** Signs what nobody asked for. */
export const SCHEDULER = 'auto:scheduler';

/**
 * Whom a revision, or what leads to it, is signed with.
 * @param editors who made the edits that it holds, in the order of their names
 * @param otherwise where nobody did, such as where time went by
 */
export function signatureOf<T extends string | null>(editors: readonly string[], otherwise: T): string | T {
  const [first, ...others] = editors;
  if (first === undefined) return otherwise;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
