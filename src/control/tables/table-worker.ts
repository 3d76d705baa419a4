/** Entry of a thread that works on tables. */
import { serveTasks } from '../../concurrency/serve-tasks.ts';
import { workAside } from './table-work.ts';

serveTasks(workAside);
