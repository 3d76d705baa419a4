/** Entry of a thread that merges collected lists. */
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { mergeInWorker } from './merge-lists.ts';

serveTasks(mergeInWorker);
