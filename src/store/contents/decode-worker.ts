/** Entry of a thread that reads tables out of their stored bytes. */
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { buffersOf } from '../../core/tables/table-buffers.ts';
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { type ReadTask, readStored } from './read-work.ts';

serveTasks<ReadTask, PrefixTable[]>((task) => {
  const value = readStored(task);
  return { value, transfer: buffersOf(...value) };
});
