import type { RevisionCommunity } from '../../api/revisions/revisions.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import { type Family, widthOf } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import { PrefixSetBuilder } from '../../core/sets/prefix-set.ts';
import { type IdTable, listOfIds } from '../../core/stored/id-table.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { buildRevisionTable, type Contribution } from '../../core/tables/revision-table.ts';

/** What a module does with its snapshot. Entries that the snapshot names but no group holds are disabled or deleted. */
export interface ModulePolicy {
  readonly purpose: 'announce' | 'exclude';
  readonly families: readonly Family[];
  readonly groups: readonly EntryGroup[];
  /** What entries carry that no group names, as of a module that stays as it was; without it they contribute nothing. */
  readonly rest?: { readonly communities: EntryGroup['communities']; readonly besides: readonly string[] };
}

/** Enabled entries whose prefixes carry the same communities. */
export interface EntryGroup {
  /** Canonical texts, such as `65000:100`: the labels of the routes. Null: one without a label. */
  readonly communities: readonly (string | null)[];
  /** Separated by commas: one text passes between threads, and is compared, quicker than a hundred thousand. */
  readonly entryIds: string;
}

/** The enabled entries of a module that have the same communities of their own, if any. */
export interface EntriesToBuild {
  readonly community_ids: readonly string[];
  /** Separated by commas. */
  readonly entry_ids: string;
}

export interface ModuleToBuild {
  readonly purpose: 'announce' | 'exclude';
  readonly families: readonly Family[];
  readonly community_id: string | null;
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
  /** Routes that carry no community. */
  readonly withoutCommunity: PrefixCount;
}

/** The communities of an entry: its own, else its module's, else the tenant's default. What is excluded carries none. */
export function policyOf(
  module: ModuleToBuild,
  entries: readonly EntriesToBuild[],
  communities: readonly CommunityToBuild[],
  defaultCommunityId: string | null,
): ModulePolicy {
  const { purpose, families } = module;
  const fallback = module.community_id ?? defaultCommunityId;
  const valuesOf = carriedBy(purpose, communities);
  const groups = entries.map(({ community_ids: own, entry_ids: entryIds }) => ({
    communities: valuesOf(own.length > 0 ? own : [fallback]),
    entryIds,
  }));
  return { purpose, families, groups };
}

/** Makes values of the ids of communities. */
export function carriedBy(
  purpose: ModuleToBuild['purpose'],
  communities: readonly CommunityToBuild[],
): (ids: readonly (string | null)[]) => EntryGroup['communities'] {
  const byId = new Map(communities.map(({ id, community }) => [id, community]));
  return (ids) => {
    if (purpose === 'exclude') return [null];
    const values = ids.map((id) => (id === null ? undefined : byId.get(id)) ?? null);
    return [...new Set(values)].sort();
  };
}

/** What a module brings to a revision. */
export interface Contributed {
  readonly contributions: readonly Contribution[];
  /** Rows of the snapshot that counted entries have, of each family that the module is for. */
  readonly rows: Readonly<Partial<Record<Family, number>>>;
}

/** For each community that the module's counted entries give to prefixes of the snapshot, their minimal set. O(rows). */
export function contributionsOf(
  policy: ModulePolicy,
  snapshot: PrefixTable | IdTable,
): readonly Contribution[] {
  return contributedBy(policy, snapshot).contributions;
}

/** {@link contributionsOf}, with how many rows count. O(rows). */
export function contributedBy(policy: ModulePolicy, snapshot: PrefixTable | IdTable): Contributed {
  const carried = 'ids' in snapshot ? carriedByIds(policy, snapshot) : carriedByLabels(policy, snapshot);
  const counts: Partial<Record<Family, number>> = {};
  const contributions = policy.families.flatMap((family) => {
    const rows = snapshot[family];
    let counted = 0;
    const width = widthOf(family);
    const buffers = new Map<string | null, PrefixBuffer>();
    const buffersOf = carried.choices.map((communities) =>
      communities.map((community) => {
        const buffer = buffers.get(community) ?? new PrefixBuffer(family);
        buffers.set(community, buffer);
        return buffer;
      }),
    );
    for (let row = 0; row < rows.size; row++) {
      const own = buffersOf[carried.choiceOf[rows.labels[row]!]!]!;
      if (own.length > 0) counted++;
      for (const buffer of own) buffer.push(rows.words, row * width, rows.lengths[row]!);
    }
    counts[family] = counted;
    return Array.from(buffers, ([community, buffer]) => {
      const set = new PrefixSetBuilder(family);
      set.addSet(buffer);
      return { community, set: set.build() };
    });
  });
  return { contributions, rows: counts };
}

/** What rows carry: of each label set, which of the choices. */
interface Carried {
  readonly choices: readonly EntryGroup['communities'][];
  readonly choiceOf: ArrayLike<number>;
}

function carriedByLabels(policy: ModulePolicy, { labelSets }: PrefixTable): Carried {
  const communitiesOfEntry = new Map<string, EntryGroup['communities']>();
  for (const { communities, entryIds } of policy.groups)
    for (const id of entryIds.split(',')) communitiesOfEntry.set(id, communities);
  const rest = policy.rest?.communities ?? [];
  for (const id of policy.rest?.besides ?? []) communitiesOfEntry.set(id, []);
  const choices = labelSets.map((entryIds) => [
    ...new Set(entryIds.flatMap((id) => communitiesOfEntry.get(id) ?? rest)),
  ]);
  return { choices, choiceOf: Uint32Array.from(choices, (_, set) => set) };
}

function carriedByIds({ groups, rest }: ModulePolicy, table: IdTable): Carried {
  const besides = [...(rest?.besides ?? [])].sort().join(',');
  const choices = [...groups.map(({ communities }) => communities), [], rest?.communities ?? []];
  const lists = [...groups.map(({ entryIds }) => entryIds), besides];
  const choiceOf = listOfIds(table, lists).map((list) => (list < 0 ? lists.length : list));
  // As with labels: in the order in which ids come first, and none that no id has.
  const used = choices
    .map((communities, choice) => ({ communities, choice, first: choiceOf.indexOf(choice) }))
    .filter(({ first }) => first >= 0)
    .sort((one, other) => one.first - other.first);
  const places = new Int32Array(choices.length);
  used.forEach(({ choice }, place) => (places[choice] = place));
  return {
    choices: used.map(({ communities }) => communities),
    choiceOf: choiceOf.map((choice) => places[choice]!),
  };
}

/** What a module adds to a revision, or cuts out of it. */
export interface ModuleShare {
  readonly purpose: 'announce' | 'exclude';
  readonly contributions: readonly Contribution[];
}

/**
 * The revision of all modules: for each community the minimal set of prefixes that covers exactly what was contributed, minus
 * what the modules with purpose `exclude` cover.
 */
export function buildRevision(
  modules: readonly ModuleShare[],
  communities: readonly CommunityToBuild[],
): BuiltRevision {
  const of = (purpose: ModuleShare['purpose']): Contribution[] =>
    modules.filter((module) => module.purpose === purpose).flatMap(({ contributions }) => contributions);
  const { table, counts, unlabelled } = buildRevisionTable({
    contributions: of('announce'),
    exclusions: of('exclude').map(({ set }) => set),
  });
  const used = communities.flatMap(({ id, community, title }) => {
    const count = counts.get(community);
    return count === undefined ? [] : [{ community_id: id, community, title, prefix_count: count }];
  });
  return { table, communities: used, withoutCommunity: unlabelled };
}
