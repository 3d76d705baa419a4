/** The communities of an entry are one column; the operator's shorthand for a single community is resolved here. */

interface Named {
  readonly community_id?: string | null | undefined;
  readonly community_ids?: readonly string[] | undefined;
}

/** `community_ids` has precedence, since it is complete. Undefined: neither is given. */
function communityIdsOf({ community_id: one, community_ids: all }: Named): string[] | undefined {
  if (all !== undefined) return [...new Set(all.map((id) => id.toLowerCase()))];
  if (one === undefined) return undefined;
  return one === null ? [] : [one];
}

/** The columns of a change. */
export function withCommunities<Change extends Named>(change: Change) {
  const { community_id: _, community_ids: __, ...columns } = change;
  const ids = communityIdsOf(change);
  return ids === undefined ? columns : { ...columns, community_ids: ids };
}

/** The columns of a new entry that every kind has. */
export function newEntryColumns({
  enabled = true,
  expires_at = null,
  ...named
}: Named & { readonly enabled?: boolean | undefined; readonly expires_at?: string | null | undefined }) {
  return { enabled, expires_at, community_ids: communityIdsOf(named) ?? [] };
}
