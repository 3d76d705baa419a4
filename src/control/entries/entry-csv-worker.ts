/** Entry of a thread that reads files of entries. */
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { type EntryCsvTask, readEntryCsv } from './read-entry-csv.ts';

serveTasks((task: EntryCsvTask) => {
  const value = readEntryCsv(task);
  const transfer = value.ok ? [...value.chunks, value.keys].map(({ buffer }) => buffer) : [];
  return { value, transfer };
});
