/** Entry of a parse thread: one list in, its prefixes out. */
import { parentPort } from 'node:worker_threads';
import { type ListToRead, readList } from './read-list.ts';

const port = parentPort;
if (port === null)
  throw new Error('parse-worker.ts is the entry of a worker thread; start it with new Worker(…)');

port.on('message', (list: ListToRead) => {
  const answer = readList(list);
  const columns = answer.ok ? [answer.prefixes.ipv4, answer.prefixes.ipv6] : [];
  port.postMessage(
    answer,
    columns.flatMap(({ words, lengths }) => [words.buffer, lengths.buffer] as ArrayBuffer[]),
  );
});
