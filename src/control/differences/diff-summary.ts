/** What two revisions differ in, counted by family and by community. Pure. */
import type { CommunityChanges, DiffSummary } from '../../api/revisions/diff.ts';
import type { RevisionCommunity } from '../../api/revisions/revisions.ts';
import type { RowsDiff, TableDiff } from '../../core/tables/diff.ts';
import { compareLabels } from '../../core/tables/label-sets.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { LabelChange } from '../tables/diff-work.ts';

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

/** By the values of the communities. O(label sets that took the place of others). */
export function countByCommunity(
  before: Side,
  after: Side,
  changes: readonly LabelChange[],
): CommunityChanges[] {
  const counts = new Map<string, { announced: number; withdrawn: number; changed: number }>();
  const add = (label: string, change: keyof DiffSummary, routes: number): void => {
    const known = counts.get(label) ?? { announced: 0, withdrawn: 0, changed: 0 };
    known[change] += routes;
    counts.set(label, known);
  };
  const labelsOf = ({ table }: Side, set: number | null): ReadonlySet<string> =>
    new Set(set === null ? [] : table.labelSets[set]);
  for (const { before: old, after: fresh, routes } of changes) {
    const [was, is] = [labelsOf(before, old), labelsOf(after, fresh)];
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
