/** What two revisions differ in, counted by family and by community. Pure. */
import type { CommunityChanges, DiffSummary } from '../../api/revisions/diff.ts';
import type { RevisionCommunity } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import type { RowsDiff, TableDiff } from '../../core/tables/diff.ts';
import { compareLabels } from '../../core/tables/label-sets.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';

export function summaryOf({ announced, withdrawn, changed }: TableDiff): DiffSummary {
  return { announced, withdrawn, changed };
}

export function familySummary({ announced, withdrawn, changed }: RowsDiff): DiffSummary {
  return { announced: announced.length, withdrawn: withdrawn.length, changed: changed.length / 2 };
}

/** A table, and the communities that its labels are. */
interface Side {
  readonly table: PrefixTable;
  readonly communities: readonly RevisionCommunity[];
}

/** By the values of the communities. O(differences + label sets that occur together). */
export function countByCommunity(before: Side, after: Side, diff: TableDiff): CommunityChanges[] {
  const counts = new Map<string, { announced: number; withdrawn: number; changed: number }>();
  const add = (label: string, change: keyof DiffSummary, routes: number): void => {
    const known = counts.get(label) ?? { announced: 0, withdrawn: 0, changed: 0 };
    known[change] += routes;
    counts.set(label, known);
  };
  for (const [pair, routes] of countPairs(before.table, after.table, diff)) {
    const [old, fresh] = pair.split(' ').map(Number) as [number, number];
    const was = new Set(before.table.labelSets[old]);
    const is = new Set(after.table.labelSets[fresh]);
    for (const label of is) add(label, was.has(label) ? 'changed' : 'announced', routes);
    for (const label of was) if (!is.has(label)) add(label, 'withdrawn', routes);
  }
  const known = new Map(
    [...before.communities, ...after.communities].map((community) => [community.community, community]),
  );
  return [...counts]
    .sort(([a], [b]) => compareLabels(a, b))
    .flatMap(([label, summary]) => {
      const community = known.get(label);
      if (community === undefined) return [];
      const { community_id, title } = community;
      return [{ community_id, community: label, title, ...summary }];
    });
}

/** No label set: the row is missing on that side. */
const NONE = -1;

/** Routes by the numbers of their label sets, before and after. */
function countPairs(before: PrefixTable, after: PrefixTable, diff: TableDiff): Map<string, number> {
  const pairs = new Map<string, number>();
  const add = (old: number, fresh: number, routes: number): void => {
    const name = `${old} ${fresh}`;
    pairs.set(name, (pairs.get(name) ?? 0) + routes);
  };
  for (const family of FAMILIES) {
    const { announced, withdrawn, changed } = diff[family];
    for (const [set, routes] of countSets(after, family, announced)) add(NONE, set, routes);
    for (const [set, routes] of countSets(before, family, withdrawn)) add(set, NONE, routes);
    for (let i = 0; i < changed.length; i += 2)
      add(before[family].labels[changed[i]!]!, after[family].labels[changed[i + 1]!]!, 1);
  }
  return pairs;
}

function countSets(table: PrefixTable, family: Family, rows: Uint32Array): [number, number][] {
  const counts = new Uint32Array(table.labelSets.length);
  const { labels } = table[family];
  for (const row of rows) counts[labels[row]!]!++;
  return Array.from(counts, (routes, set): [number, number] => [set, routes]).filter(
    ([, routes]) => routes > 0,
  );
}
