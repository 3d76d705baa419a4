/** Entry of a thread that reads tables out of their stored bytes. */
import type { PrefixTable } from '../core/prefix-table.ts';
import { type StoredTable, decodeStoredTable } from '../core/stored-table.ts';
import { buffersOf } from '../core/table-buffers.ts';
import { serveTasks } from '../threads/serve-tasks.ts';

serveTasks<StoredTable, PrefixTable>((stored) => {
  const value = decodeStoredTable(stored);
  return { value, transfer: buffersOf(value) };
});
