/** Entry of a thread: an answer about ASes in, their prefixes out. */
import { openBytes } from '../../concurrency/parcel.ts';
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import type { SentTask } from './answer-pool.ts';
import { readAnyBody } from './read-answer.ts';

serveTasks((task: SentTask) => ({
  value: readAnyBody({ ...task, body: openBytes(task.body) }),
  transfer: [],
}));
