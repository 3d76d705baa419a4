import { LRUCache } from 'lru-cache';
import { type ChangePiece, encodeChanges } from '../../core/stored/change-list.ts';
import { differingSince } from '../../core/stored/id-table-past.ts';
import { type IdTable, idTableBytes } from '../../core/stored/id-table.ts';

/** Some two million ranges. */
const CAPACITY_BYTES = 64 * 1024 * 1024;

/** Snapshots of ranges, by content hash: what an edit makes the next one of. A process that has none reads all ranges. */
export const idTables = new LRUCache<string, IdTable>({
  maxSize: CAPACITY_BYTES,
  sizeCalculation: (table) => idTableBytes(table),
});

/** What differs between two snapshots; null: it is not known that the second was made of the first. */
export function rememberedDifference(beforeHash: string, afterHash: string): readonly ChangePiece[] | null {
  const table = idTables.get(afterHash);
  const differing = table === undefined ? null : differingSince(table, beforeHash);
  return differing === null ? null : encodeChanges(differing.before, differing.after);
}
