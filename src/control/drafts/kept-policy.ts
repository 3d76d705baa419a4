/** Which communities the entries of a module carry, as revisions remember it. */
import type { StoredGroup } from '../../store/columns/column-shapes.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import {
  type CommunityToBuild,
  type EntriesToBuild,
  type ModulePolicy,
  type ModuleToBuild,
  carriedBy,
} from '../tables/build-revision.ts';

/** Of each group of entries the communities that it carries: its own, else its module's, else the tenant's default. */
export function groupsOf(
  { community_id }: Pick<ModuleToBuild, 'community_id'>,
  entries: readonly EntriesToBuild[],
  defaultCommunityId: string | null,
): StoredGroup[] {
  const fallback = community_id ?? defaultCommunityId;
  return entries.map(({ community_ids: own, entry_ids }) => ({
    communities: own.length > 0 ? own : [fallback],
    entries: entry_ids,
  }));
}

/**
 * The same without the ids of the largest group: who reads it has the table that they are in. So an edit of a module of a hundred thousand
 * ranges writes down no hundred thousand ids.
 */
export function withoutLargest(groups: readonly StoredGroup[]): StoredGroup[] {
  const lengthOf = ({ entries }: StoredGroup): number => entries?.length ?? 0;
  const largest = groups.reduce<StoredGroup | null>(
    (most, group) => (most === null || lengthOf(group) > lengthOf(most) ? group : most),
    null,
  );
  return groups.map((group) => (group === largest ? { ...group, entries: null } : group));
}

/**
 * What a module did with its snapshot when a revision was built, with the values that its communities have now.
 * @param gone entries that have left by themselves since
 */
export function policyOfInput(
  { purpose, families, left_out: leftOut }: RevisionInput,
  groups: readonly StoredGroup[],
  communities: readonly CommunityToBuild[],
  gone: readonly string[],
): ModulePolicy {
  const valuesOf = carriedBy(purpose, communities);
  const left = new Set([...leftOut, ...gone]);
  const named = groups.flatMap(({ communities: ids, entries }) => {
    const entryIds = entries?.split(',').filter((id) => !left.has(id));
    return entryIds === undefined || entryIds.length === 0
      ? []
      : [{ communities: valuesOf(ids), entryIds: entryIds.join(',') }];
  });
  const others = groups.find(({ entries }) => entries === null);
  const policy = { purpose, families, groups: named };
  if (others === undefined) return policy;
  return { ...policy, rest: { communities: valuesOf(others.communities), besides: [...leftOut, ...gone] } };
}

/** Whether every community that they carried is still there: without it their routes would mean something else to a router. */
export function hasCommunities(
  groups: readonly StoredGroup[],
  communities: readonly CommunityToBuild[],
): boolean {
  const known = new Set(communities.map(({ id }) => id));
  return groups.every(({ communities: ids }) => ids.every((id) => id === null || known.has(id)));
}

/** What the routes of each entry carry; undefined: the entry does not count. */
export function communitiesIn({ groups, rest }: ModulePolicy): (entryId: string) => string | undefined {
  const named = new Map(
    groups.flatMap(({ communities, entryIds }) =>
      entryIds.split(',').map((id) => [id, communities.join()] as const),
    ),
  );
  const besides = new Set(rest?.besides);
  return (id) => named.get(id) ?? (besides.has(id) ? undefined : rest?.communities.join());
}
