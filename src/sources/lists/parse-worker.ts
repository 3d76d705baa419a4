/** Entry of a parse thread: one list in, its prefixes out. */
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { type ListToRead, readList } from './read-list.ts';

serveTasks((list: ListToRead) => {
  const value = readList(list);
  const columns = value.ok ? [value.prefixes.ipv4, value.prefixes.ipv6] : [];
  const transfer = columns.flatMap(({ words, lengths }) => [words.buffer, lengths.buffer] as ArrayBuffer[]);
  return { value, transfer };
});
