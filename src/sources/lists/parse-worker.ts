/** Entry of a parse thread: one list in, its prefixes out. */
import { openBytes } from '../../concurrency/parcel.ts';
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import type { SentList } from './parse-pool.ts';
import { readList } from './read-list.ts';

serveTasks((list: SentList) => {
  const value = readList({ ...list, body: openBytes(list.body) });
  const columns = value.ok ? [value.prefixes.ipv4, value.prefixes.ipv6] : [];
  const transfer = columns.flatMap(({ words, lengths }) => [words.buffer, lengths.buffer] as ArrayBuffer[]);
  return { value, transfer };
});
