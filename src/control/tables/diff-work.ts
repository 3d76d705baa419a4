/** Two tables compared, and the differences counted by labels. Pure, and done in a thread where it is much. */
import { FAMILIES, type Family } from '../../core/address.ts';
import { diffTables, type TableDiff } from '../../core/tables/diff.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';

export interface TableDiffTask {
  readonly kind: 'table_diff';
  readonly before: PrefixTable;
  readonly after: PrefixTable;
}

/** Routes by the numbers of their label sets; null: the route is missing on that side. */
export interface LabelChange {
  readonly before: number | null;
  readonly after: number | null;
  readonly routes: number;
}

export interface CountedDiff {
  readonly diff: TableDiff;
  readonly labels: readonly LabelChange[];
}

/** O(rows before + rows after). */
export function countedDiff({ before, after }: TableDiffTask): CountedDiff {
  const diff = diffTables(before, after);
  const labels: LabelChange[] = [];
  const changed = new Map<number, number>();
  const sets = after.labelSets.length;
  for (const family of FAMILIES) {
    const { announced, withdrawn, changed: pairs } = diff[family];
    for (const [set, routes] of countSets(after, family, announced))
      labels.push({ before: null, after: set, routes });
    for (const [set, routes] of countSets(before, family, withdrawn))
      labels.push({ before: set, after: null, routes });
    const [old, fresh] = [before[family].labels, after[family].labels];
    for (let at = 0; at < pairs.length; at += 2) {
      const pair = old[pairs[at]!]! * sets + fresh[pairs[at + 1]!]!;
      changed.set(pair, (changed.get(pair) ?? 0) + 1);
    }
  }
  for (const [pair, routes] of changed)
    labels.push({ before: Math.floor(pair / sets), after: pair % sets, routes });
  return { diff, labels };
}

/** The memory of the lists of rows. */
export function diffMemory({ diff: { ipv4, ipv6 } }: CountedDiff): ArrayBuffer[] {
  return [ipv4, ipv6].flatMap(({ announced, withdrawn, changed }) =>
    [announced, withdrawn, changed].map(({ buffer }) => buffer as ArrayBuffer),
  );
}

function countSets(table: PrefixTable, family: Family, rows: Uint32Array): [number, number][] {
  const counts = new Uint32Array(table.labelSets.length);
  const { labels } = table[family];
  for (const row of rows) counts[labels[row]!]!++;
  return Array.from(counts, (routes, set): [number, number] => [set, routes]).filter(
    ([, routes]) => routes > 0,
  );
}
