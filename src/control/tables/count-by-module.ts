/** Which modules have addresses in rows that differ. In a thread where it is much. */
import type { DiffSummary } from '../../api/revisions/diff.ts';
import { FAMILIES, type Family, widthOf } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import type { PrefixList } from '../../core/prefix.ts';
import { type PrefixSet, PrefixSetBuilder } from '../../core/sets/prefix-set.ts';
import { diffTables } from '../../core/tables/diff.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { type StoredTable, decodeStoredTable } from '../../core/stored/stored-table.ts';
import { meets } from '../../core/sets/within.ts';

/** What of a snapshot a revision was built from. */
export interface Use {
  readonly families: readonly Family[];
  /** Entries that did not count. */
  readonly left_out: readonly string[];
}

export interface ModuleCountTask {
  readonly kind: 'module_counts';
  /** Only rows that differ. */
  readonly before: PrefixTable;
  readonly after: PrefixTable;
  /** Of each module the snapshots that either revision was built from. */
  readonly modules: readonly (readonly (Use & { readonly stored: StoredTable })[])[];
}

/** Of each module, how many of the differing routes have addresses of it. O(rows of the modules + differences x modules x log). */
export function countByModule({ before, after, modules }: ModuleCountTask): DiffSummary[] {
  const diff = diffTables(before, after);
  return modules.map((uses) => {
    const used = uses.map(({ stored, ...use }) => ({ ...use, table: decodeStoredTable(stored) }));
    const counts = { announced: 0, withdrawn: 0, changed: 0 };
    for (const family of FAMILIES) {
      const set = addressesOf(used, family);
      if (set.size === 0) continue;
      const { announced, withdrawn, changed } = diff[family];
      counts.announced += countMeeting(after[family], announced, set);
      counts.withdrawn += countMeeting(before[family], withdrawn, set);
      counts.changed += countMeeting(before[family], changed.filter(isOfBefore), set);
    }
    return counts;
  });
}

/** Changed rows come in pairs. */
function isOfBefore(_: number, place: number): boolean {
  return place % 2 === 0;
}

/** The addresses of all these tables, as far as they were used. */
export function addressesOf(
  used: readonly (Use & { readonly table: PrefixTable })[],
  family: Family,
): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  for (const { table, families, left_out: leftOut } of used)
    if (families.includes(family)) builder.addSet(rowsWithout(table, family, leftOut));
  return builder.build();
}

/** Rows that some entry contributed which counted. */
function rowsWithout(table: PrefixTable, family: Family, leftOut: readonly string[]): PrefixList {
  const rows = table[family];
  if (leftOut.length === 0) return rows;
  const out = new Set(leftOut);
  const counts = table.labelSets.map((labels) => labels.some((label) => !out.has(label)));
  const width = widthOf(family);
  const kept = new PrefixBuffer(family);
  for (let row = 0; row < rows.size; row++)
    if (counts[rows.labels[row]!]!) kept.push(rows.words, row * width, rows.lengths[row]!);
  return kept;
}

function countMeeting(rows: PrefixRows, indices: Uint32Array, set: PrefixSet): number {
  let count = 0;
  for (const index of indices) if (meets(rows, index, set)) count++;
  return count;
}
