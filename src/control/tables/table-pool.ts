/** The threads that work on tables, and what is much for the event loop. */
import { extname } from 'node:path';
import { TaskError, ThreadPool } from '../../concurrency/thread-pool.ts';
import { rowsToRead } from '../../core/stored/stored-table.ts';
import { TableCodecError } from '../../core/stored/table-codec.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { TableAnswers, TableTask } from './table-tasks.ts';

const ENTRY = new URL(`table-worker${extname(import.meta.url)}`, import.meta.url);
const pool = new ThreadPool<TableTask, TableAnswers[TableTask['kind']]>(ENTRY, {
  threads: 2,
  memoryMb: 1024,
  idleMs: 30_000,
});

/** What reading a content costs, be it to say what changed since. Throws TableCodecError for a damaged one. */
export function rowsOf(content: StoredContent | null): number {
  if (content === null) return 0;
  const { stored, prefixCount } = content;
  return rowsToRead(stored, prefixCount.ipv4 + prefixCount.ipv6);
}

export function routesIn({ ipv4, ipv6 }: PrefixTable): number {
  return ipv4.size + ipv6.size;
}

/** Does the task in a thread. @param transfer memory that goes with it: who asks may not use it afterwards */
export async function run<Task extends TableTask>(
  task: Task,
  transfer: readonly ArrayBuffer[],
  signal: AbortSignal | undefined,
): Promise<TableAnswers[Task['kind']]> {
  try {
    return (await pool.run(task, { transfer, signal })) as TableAnswers[Task['kind']];
  } catch (error) {
    if (error instanceof TaskError && error.thrown === TableCodecError.name)
      throw new TableCodecError(error.message, { cause: error });
    throw error;
  }
}
