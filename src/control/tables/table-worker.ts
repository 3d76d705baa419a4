/** Entry of a thread that works on tables. */
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { runInWorker } from './table-work.ts';

serveTasks(runInWorker);
