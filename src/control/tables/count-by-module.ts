/** Which modules have addresses in rows that differ. In a thread where it is much. */
import type { DiffSummary } from '../../api/revisions/diff.ts';
import { FAMILIES } from '../../core/address.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import { diffTables } from '../../core/tables/diff.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { type StoredTable, decodeStoredTable } from '../../core/stored/stored-table.ts';
import { meets } from '../../core/sets/within.ts';
import { addressesOf, type Use } from './used-snapshots.ts';

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

function countMeeting(rows: PrefixRows, indices: Uint32Array, set: PrefixSet): number {
  let count = 0;
  for (const index of indices) if (meets(rows, index, set)) count++;
  return count;
}
