import type { Revision } from '../../api/revisions/revisions.ts';

/** Labels of routes that a peer with these communities is sent; null: all. */
export function labelsFor(ids: readonly string[], communities: Revision['communities']): string[] | null {
  if (ids.length === 0) return null;
  return communities.filter(({ community_id: id }) => ids.includes(id)).map(({ community }) => community);
}
