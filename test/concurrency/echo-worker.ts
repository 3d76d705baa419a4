/** Entry of a thread that does what it is asked, for the tests of the pool. */
import { readlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import { basename } from 'node:path';
import { serveTasks } from '../../src/concurrency/serve-tasks.ts';

export interface EchoTask {
  readonly say?: unknown;
  readonly fail?: string;
  readonly loop?: boolean;
  readonly fill?: boolean;
  readonly leave?: number;
  readonly tellPriority?: boolean;
}

/** A thread that is not ended as it should be fails a test, and does not keep the process of the tests for ever. */
const AT_MOST_MS = 45_000;

serveTasks((task: EchoTask) => {
  if (task.fail !== undefined) throw new RangeError(task.fail);
  if (task.leave !== undefined) process.exit(task.leave);
  if (task.tellPriority === true) return { value: ownPriority(), transfer: [] };
  const end = Date.now() + AT_MOST_MS;
  for (const hoard: object[] = []; (task.loop === true || task.fill === true) && Date.now() < end;) {
    if (task.fill === true) hoard.push(Array.from({ length: 1000 }, () => ({})));
  }
  const transfer = task.say instanceof Uint8Array ? [task.say.buffer as ArrayBuffer] : [];
  return { value: task.say, transfer };
});

/** Of this thread where threads have one, else of the process. */
function ownPriority(): number {
  return getPriority(process.platform === 'linux' ? Number(basename(readlinkSync('/proc/thread-self'))) : 0);
}
