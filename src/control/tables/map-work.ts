import type { Prefix } from '../../core/prefix.ts';
import { coverageCells } from '../../core/sets/coverage-cells.ts';
import { type PrefixSet, setOfRows, subtract } from '../../core/sets/prefix-set.ts';
import { type StoredTable, decodeStoredTable } from '../../core/stored/stored-table.ts';

/** Draws what a content covers inside a prefix; or what it covers beside another, and what that one alone does. */
export interface MapTask {
  readonly kind: 'map';
  readonly stored: StoredTable;
  /** Null: of one content. */
  readonly before: StoredTable | null;
  readonly within: Prefix;
}

/** Cells as {@link coverageCells} makes them: of one content, or what is added and what is removed. */
export type MapCells = readonly [Uint8Array] | readonly [added: Uint8Array, removed: Uint8Array];

/** O(rows). */
export function drawMap({ stored, before, within }: MapTask): MapCells {
  const setOf = (table: StoredTable): PrefixSet => setOfRows(decodeStoredTable(table)[within.family]);
  const after = setOf(stored);
  if (before === null) return [coverageCells(after, within)];
  const former = setOf(before);
  return [coverageCells(subtract(after, former), within), coverageCells(subtract(former, after), within)];
}
