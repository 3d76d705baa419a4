import type { PrefixCount } from '../../api/shapes/page.ts';
import { FAMILIES } from '../../core/address.ts';
import { type StoredTable, decodeStoredTable } from '../../core/stored/stored-table.ts';

/** Counts the rows of a snapshot that any of these entries has contributed to. */
export interface CountTask {
  readonly kind: 'count';
  readonly stored: StoredTable;
  readonly entryIds: readonly string[];
}

/** Rows that the same entries have contributed to. */
export interface RowsOfEntries {
  readonly entryIds: readonly string[];
  readonly count: PrefixCount;
}

export function countRows({ stored, entryIds }: CountTask): RowsOfEntries[] {
  const asked = new Set(entryIds);
  const table = decodeStoredTable(stored);
  const counts = new Map<number, { ipv4: number; ipv6: number }>();
  table.labelSets.forEach((labels, index) => {
    if (labels.some((label) => asked.has(label))) counts.set(index, { ipv4: 0, ipv6: 0 });
  });
  for (const family of FAMILIES) {
    const { size, labels } = table[family];
    for (let row = 0; row < size; row++) {
      const count = counts.get(labels[row]!);
      if (count !== undefined) count[family]++;
    }
  }
  return Array.from(counts, ([index, count]) => ({ entryIds: table.labelSets[index]!, count }));
}
