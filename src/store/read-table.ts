import { extname } from 'node:path';
import type { PrefixTable } from '../core/prefix-table.ts';
import { type StoredTable, decodeStoredTable } from '../core/stored-table.ts';
import { TableCodecError } from '../core/table-codec.ts';
import { TaskError, ThreadPool } from '../threads/thread-pool.ts';

/** Tables up to this many rows are read in a few milliseconds: in about the time that handing them over takes. */
export const INLINE_ROWS = 20_000;

const ENTRY = new URL(`decode-worker${extname(import.meta.url)}`, import.meta.url);
const pool = new ThreadPool<StoredTable, PrefixTable>(ENTRY, { threads: 1, memoryMb: 512, idleMs: 30_000 });

/**
 * The table that these bytes hold; a large one is read in a thread. `rows` says how large it will be.
 * @throws {TableCodecError} when they are damaged
 */
export async function readTable(stored: StoredTable, rows: number): Promise<PrefixTable> {
  if (rows <= INLINE_ROWS) return decodeStoredTable(stored);
  try {
    return await pool.run(stored);
  } catch (error) {
    if (error instanceof TaskError && error.thrown === TableCodecError.name)
      throw new TableCodecError(error.message, { cause: error });
    throw error;
  }
}
