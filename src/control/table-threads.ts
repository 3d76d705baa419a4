import { extname } from 'node:path';
import type { PrefixTable } from '../core/prefix-table.ts';
import { type RowsOfLabel, joinLists, listsByLabel } from '../core/rows-by-label.ts';
import type { StoredTable } from '../core/stored-table.ts';
import { buffersOf, compactStored } from '../core/table-buffers.ts';
import { TableCodecError } from '../core/table-codec.ts';
import type { StoredContent } from '../store/contents.ts';
import { INLINE_ROWS } from '../store/read-table.ts';
import { TaskError, ThreadPool } from '../threads/thread-pool.ts';
import {
  type BuiltContent,
  type RevisionTask,
  type Snapshot,
  type TableAnswers,
  type TableTask,
  group,
  makeRevision,
  makeSnapshot,
} from './table-work.ts';

/** Text of some thousand ranges, which are read in a few milliseconds. */
const INLINE_RANGES_LENGTH = 256 * 1024;

const ENTRY = new URL(`table-worker${extname(import.meta.url)}`, import.meta.url);
const pool = new ThreadPool<TableTask, TableAnswers[TableTask['kind']]>(ENTRY, {
  threads: 2,
  memoryMb: 1024,
  idleMs: 30_000,
});

/** What each entry contributed to the snapshot. Large ones are read in a thread, as all work here. */
export async function groupSnapshot(
  { stored, prefixCount }: StoredContent,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, RowsOfLabel>> {
  if (prefixCount.ipv4 + prefixCount.ipv6 <= INLINE_ROWS)
    return listsByLabel(group({ kind: 'group', stored }));
  const { stored: compact, memory } = compactStored(stored);
  return listsByLabel(await run({ kind: 'group', stored: compact }, [memory], signal));
}

/**
 * The snapshot of a module whose entries contribute these lists. Lists that are alone in their memory are handed over: who asks
 * may not use them afterwards.
 */
export async function buildSnapshot(
  lists: ReadonlyMap<string, RowsOfLabel>,
  parent: StoredTable | null,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const entries = joinLists(lists);
  const task = { kind: 'snapshot', entries, parent } as const;
  if (entries.reduce((sum, { rows }) => sum + rows.size, 0) <= INLINE_ROWS) return makeSnapshot(task);
  const owned = entries.map(({ rows }) => rows).filter(ownsItsMemory);
  const { stored, transfer } = handOver(parent);
  return run({ ...task, parent: stored }, [...buffersOf(...owned), ...transfer], signal);
}

/** The snapshot of a module whose entries are these ranges, as `id cidr,id cidr…`. */
export async function buildSnapshotOfRanges(
  ranges: string,
  parent: StoredTable | null,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const task = { kind: 'snapshot', entries: ranges, parent } as const;
  if (ranges.length <= INLINE_RANGES_LENGTH) return makeSnapshot(task);
  const { stored, transfer } = handOver(parent);
  return run({ ...task, parent: stored }, transfer, signal);
}

/** The revision of the modules, of which the snapshots hold so many `rows` together. Tables of snapshots are handed over. */
export async function buildRevisionContent(
  task: Omit<RevisionTask, 'kind'>,
  rows: number,
  signal?: AbortSignal,
): Promise<BuiltContent> {
  if (rows <= INLINE_ROWS) return makeRevision({ kind: 'revision', ...task });
  const { stored: parent, transfer } = handOver(task.parent);
  const modules = task.modules.map((module) => {
    if ('contributions' in module) return module;
    if (!('whole' in module.snapshot)) {
      transfer.push(...buffersOf(module.snapshot));
      return module;
    }
    const { stored, memory } = compactStored(module.snapshot);
    transfer.push(memory);
    return { ...module, snapshot: stored };
  });
  return run({ kind: 'revision', ...task, modules, parent }, transfer, signal);
}

function handOver(stored: StoredTable | null): { stored: StoredTable | null; transfer: ArrayBuffer[] } {
  if (stored === null) return { stored, transfer: [] };
  const { stored: compact, memory } = compactStored(stored);
  return { stored: compact, transfer: [memory] };
}

function ownsItsMemory({ words, lengths }: Pick<PrefixTable['ipv4'], 'words' | 'lengths'>): boolean {
  return words.byteLength === words.buffer.byteLength && lengths.byteLength === lengths.buffer.byteLength;
}

async function run<Task extends TableTask>(
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
