/** Entry of a thread: an answer about ASes in, their prefixes out. */
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { type AsnTask, readAsnBody } from './reading.ts';

serveTasks((task: AsnTask) => ({ value: readAsnBody(task), transfer: [] }));
