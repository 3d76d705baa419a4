import { extname } from 'node:path';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { type StoredTable, rowsToRead } from '../../core/stored/stored-table.ts';
import { TableCodecError } from '../../core/stored/table-codec.ts';
import { TaskError, ThreadPool } from '../../concurrency/thread-pool.ts';
import { type ReadTask, readStored } from './read-work.ts';

/** Tables up to this size are decoded in a few milliseconds: about as long as transferring them takes. */
export const INLINE_ROWS = 20_000;

const ENTRY = new URL(`decode-worker${extname(import.meta.url)}`, import.meta.url);
const pool = new ThreadPool<ReadTask, PrefixTable[]>(ENTRY, { threads: 1, memoryMb: 512, idleMs: 30_000 });

/**
 * The table that these bytes hold; a large one is read in a thread. `rows` says how large it will be.
 * @throws {TableCodecError} when they are damaged
 */
export async function readTable(stored: StoredTable, rows: number): Promise<PrefixTable> {
  const [table] = await (rowsToRead(stored, rows) <= INLINE_ROWS
    ? readStored([stored])
    : readInThread([stored]));
  return table!;
}

/** The rows in which two tables differ, as {@link readTable}; `rows` says how many each of them has. */
export async function readDiffering(
  stored: { readonly before: StoredTable; readonly after: StoredTable },
  rows: { readonly before: number; readonly after: number },
): Promise<{ readonly before: PrefixTable; readonly after: PrefixTable }> {
  const task = [stored.before, stored.after] as const;
  const toRead = rowsToRead(stored.before, rows.before) + rowsToRead(stored.after, rows.after);
  const [before, after] = await (toRead <= INLINE_ROWS ? readStored(task) : readInThread(task));
  return { before: before!, after: after! };
}

async function readInThread(task: ReadTask): Promise<PrefixTable[]> {
  try {
    return await pool.run(task);
  } catch (error) {
    if (error instanceof TaskError && error.thrown === TableCodecError.name)
      throw new TableCodecError(error.message, { cause: error });
    throw error;
  }
}
