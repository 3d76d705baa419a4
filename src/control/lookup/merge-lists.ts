import { extname } from 'node:path';
import { FAMILIES, type Family } from '../../core/address.ts';
import { type RowIndex, indexRows, useIndex } from '../../core/tables/lookup.ts';
import { mergeRows } from '../../core/tables/merged-rows.ts';
import type { PrefixRows } from '../../core/tables/prefix-table.ts';
import { buffersOf } from '../../core/tables/table-buffers.ts';
import type { TaskResult } from '../../concurrency/serve-tasks.ts';
import { ThreadPool } from '../../concurrency/thread-pool.ts';

export interface MergeTask {
  readonly parts: Readonly<Record<Family, readonly PrefixRows[]>>;
  /** What is added to the labels of each part. */
  readonly firstLabels: Uint32Array;
}

type Merged<T> = Readonly<Record<Family, T>>;
type Indexed = Merged<{ readonly rows: PrefixRows; readonly index: RowIndex }>;

const ENTRY = new URL(`merge-worker${extname(import.meta.url)}`, import.meta.url);
const pool = new ThreadPool<MergeTask, Indexed>(ENTRY, { threads: 1, memoryMb: 512, idleMs: 10_000 });

/** The rows of all parts in one order, ready to be searched. Sorted in a thread; what waits for it goes on meanwhile. */
export async function mergeLists(task: MergeTask): Promise<Merged<PrefixRows>> {
  const { ipv4, ipv6 } = await pool.run(task);
  for (const { rows, index } of [ipv4, ipv6]) useIndex(rows, index);
  return { ipv4: ipv4.rows, ipv6: ipv6.rows };
}

/** In the thread. */
export function mergeInWorker({ parts, firstLabels }: MergeTask): TaskResult<Indexed> {
  const [ipv4, ipv6] = FAMILIES.map((family) => {
    const rows = mergeRows(family, parts[family], firstLabels);
    return { rows, index: indexRows(rows) };
  }) as [Indexed['ipv4'], Indexed['ipv6']];
  const indexes = [ipv4, ipv6].flatMap(({ index: { parents, places } }) => [
    parents.buffer as ArrayBuffer,
    ...(places === null ? [] : [places.starts.buffer as ArrayBuffer]),
  ]);
  return { value: { ipv4, ipv6 }, transfer: [...buffersOf(ipv4.rows, ipv6.rows), ...indexes] };
}
