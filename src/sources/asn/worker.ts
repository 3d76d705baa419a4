/** Entry of a thread: an answer about ASes in, their prefixes out. */
import { serveTasks } from '../../threads/serve-tasks.ts';
import { type AsnTask, readAsnBody } from './reading.ts';

serveTasks((task: AsnTask) => ({ value: readAsnBody(task), transfer: [] }));
