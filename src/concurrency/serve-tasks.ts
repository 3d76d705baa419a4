import { parentPort } from 'node:worker_threads';
import { standBehindEventLoop } from './low-priority.ts';

/** A thread's answer to a task. */
export type TaskAnswer<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      /** The name of the error's class. */
      readonly thrown: string;
      readonly message: string;
      readonly stack: string | undefined;
    };

export interface TaskResult<Value> {
  readonly value: Value;
  /** Memory to transfer with it instead of copying it. */
  readonly transfer: readonly ArrayBuffer[];
}

/** For the entry of a thread: runs the tasks that a ThreadPool sends, one after the other. */
export function serveTasks<Task, Value>(work: (task: Task) => TaskResult<Value>): void {
  const port = parentPort;
  if (port === null) throw new Error('This file is the entry of a thread: start it with a ThreadPool');
  standBehindEventLoop();
  port.on('message', (task: Task) => {
    let answer: TaskAnswer<Value>;
    let transfer: readonly ArrayBuffer[] = [];
    try {
      const result = work(task);
      answer = { ok: true, value: result.value };
      transfer = result.transfer;
    } catch (error) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      answer = { ok: false, thrown: name, message, stack };
    }
    port.postMessage(answer, transfer);
  });
}
