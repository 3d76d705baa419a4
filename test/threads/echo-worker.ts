/** Entry of a thread that does what it is told, for the tests of the pool. */
import { serveTasks } from '../../src/threads/serve-tasks.ts';

export interface EchoTask {
  readonly say?: unknown;
  readonly fail?: string;
  readonly loop?: boolean;
  readonly fill?: boolean;
  readonly leave?: number;
}

serveTasks((task: EchoTask) => {
  if (task.fail !== undefined) throw new RangeError(task.fail);
  if (task.leave !== undefined) process.exit(task.leave);
  for (const hoard: object[] = []; task.loop === true || task.fill === true;) {
    if (task.fill === true) hoard.push(Array.from({ length: 1000 }, () => ({})));
  }
  const transfer = task.say instanceof Uint8Array ? [task.say.buffer as ArrayBuffer] : [];
  return { value: task.say, transfer };
});
