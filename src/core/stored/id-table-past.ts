/** What a table of ids remembers of those that it was made of. */
import type { IdTable, TouchedRow } from './id-table.ts';
import { type PrefixTable, PrefixTableBuilder } from '../tables/prefix-table.ts';

/** The prefixes in which the table differs from the one with this hash; null: it does not remember it. */
export function touchedSince({ past }: IdTable, hash: string): TouchedRow[] | null {
  const end = past.findIndex(({ fromHash }) => fromHash === hash);
  if (end < 0) return null;
  // Of each prefix what it was before all of these steps, and what it is after them.
  const net = new Map<string, TouchedRow>();
  for (const { touched } of past.slice(0, end + 1).reverse())
    for (const row of touched) {
      const name = `${row.words.join()}/${row.length}`;
      net.set(name, { ...row, before: (net.get(name) ?? row).before });
    }
  return [...net.values()].filter(({ before, after }) => before !== after);
}

/** The rows in which both differ, as decodeDiffering returns them; null: the table does not remember the other one. */
export function differingSince(
  table: IdTable,
  hash: string,
): { readonly before: PrefixTable; readonly after: PrefixTable } | null {
  const net = touchedSince(table, hash);
  if (net === null) return null;
  const [before, after] = [new PrefixTableBuilder(), new PrefixTableBuilder()];
  for (const { family, words, length, ...row } of net) {
    if (row.before !== null) before.add(family, words, length, row.before);
    if (row.after !== null) after.add(family, words, length, row.after);
  }
  return { before: before.build(), after: after.build() };
}
