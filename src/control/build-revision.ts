import type { RevisionCommunity } from '../api/revisions.ts';
import { FAMILIES, type Family, widthOf } from '../core/address.ts';
import { PrefixBuffer } from '../core/prefix-buffer.ts';
import type { PrefixTable } from '../core/prefix-table.ts';
import type { PrefixList } from '../core/prefix.ts';
import { buildRevisionTable, type Contribution } from '../core/revision-table.ts';

/** What building needs to know of an entry: whether it counts, and a community of its own. */
export interface EntryPolicy {
  readonly enabled: boolean;
  readonly community_id: string | null;
}

/** An enabled module and its snapshot. Entries that the snapshot names but `entries` lacks have been deleted. */
export interface ModuleToBuild {
  readonly purpose: 'announce' | 'exclude';
  readonly families: readonly Family[];
  readonly community_id: string | null;
  readonly table: PrefixTable;
  readonly entries: ReadonlyMap<string, EntryPolicy>;
}

export interface CommunityToBuild {
  readonly id: string;
  /** Canonical text, such as `65000:100`: the label of the routes. */
  readonly community: string;
  readonly title: string;
}

export interface BuiltRevision {
  readonly table: PrefixTable;
  readonly communities: readonly RevisionCommunity[];
}

/**
 * Aggregates the snapshots of all enabled modules: for each community the minimal set of prefixes that covers exactly
 * what its entries contributed, minus what the modules with purpose `exclude` cover.
 */
export function buildRevision(
  modules: readonly ModuleToBuild[],
  communities: readonly CommunityToBuild[],
  defaultCommunityId: string | null,
): BuiltRevision {
  const byId = new Map(communities.map((community) => [community.id, community]));
  const contributions: Contribution[] = [];
  const exclusions: PrefixList[] = [];
  for (const module of modules) {
    if (module.purpose === 'exclude') {
      exclusions.push(...splitRows(module, () => null).map(({ set }) => set));
      continue;
    }
    const communityOf = (entry: EntryPolicy): string | null => {
      const id = entry.community_id ?? module.community_id ?? defaultCommunityId;
      return (id === null ? undefined : byId.get(id)?.community) ?? null;
    };
    contributions.push(...splitRows(module, communityOf));
  }
  const { table, counts } = buildRevisionTable({ contributions, exclusions });
  const used = communities.flatMap(({ id, community, title }) => {
    const count = counts.get(community);
    return count === undefined ? [] : [{ community_id: id, community, title, prefix_count: count }];
  });
  return { table, communities: used };
}

/** The module's rows by community: each row once for every community that its enabled entries give it. */
function splitRows(
  module: ModuleToBuild,
  communityOf: (entry: EntryPolicy) => string | null,
): Contribution[] {
  const communitiesOfLabelSet = module.table.labelSets.map((entryIds) => {
    const entries = entryIds.map((id) => module.entries.get(id)).filter((entry) => entry?.enabled === true);
    return [...new Set(entries.map((entry) => communityOf(entry!)))];
  });
  return FAMILIES.filter((family) => module.families.includes(family)).flatMap((family) => {
    const rows = module.table[family];
    const width = widthOf(family);
    const buffers = new Map<string | null, PrefixBuffer>();
    const buffersOfLabelSet = communitiesOfLabelSet.map((communities) =>
      communities.map((community) => {
        const buffer = buffers.get(community) ?? new PrefixBuffer(family);
        buffers.set(community, buffer);
        return buffer;
      }),
    );
    for (let row = 0; row < rows.size; row++) {
      for (const buffer of buffersOfLabelSet[rows.labels[row]!]!)
        buffer.push(rows.words, row * width, rows.lengths[row]!);
    }
    return [...buffers].map(([community, buffer]) => ({ community, set: buffer.toList() }));
  });
}
