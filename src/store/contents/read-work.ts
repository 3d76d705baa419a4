/** The work of reading stored tables, as a pure function: read-table.ts says where it runs. */
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { type StoredTable, decodeDiffering, decodeStoredTable } from '../../core/stored/stored-table.ts';

/** A table to read, or two of which only the rows are asked for in which they differ. */
export type ReadTask = readonly [StoredTable] | readonly [before: StoredTable, after: StoredTable];

/** @throws {TableCodecError} when the bytes are damaged */
export function readStored([first, second]: ReadTask): PrefixTable[] {
  if (second === undefined) return [decodeStoredTable(first)];
  const { before, after } = decodeDiffering(first, second);
  return [before, after];
}
