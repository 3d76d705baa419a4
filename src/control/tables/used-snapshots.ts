/** What of a snapshot counts in a revision: entries that were disabled or removed since it was collected do not. */
import { type Family, widthOf } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import type { PrefixList } from '../../core/prefix.ts';
import { type PrefixSet, PrefixSetBuilder } from '../../core/sets/prefix-set.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';

/** What of a snapshot a revision was built from. */
export interface Use {
  readonly families: readonly Family[];
  /** Entries that did not count. */
  readonly left_out: readonly string[];
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
