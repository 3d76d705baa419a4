/**
 * Threads: whatever would hold the event loop runs beside it. A room that has such work brings the entry of a thread, which
 * calls {@link serveTasks} with a pure function, and a {@link ThreadPool} that starts it; this room knows of neither.
 */
import { Worker } from 'node:worker_threads';
import type { TaskAnswer } from './serve-tasks.ts';

export interface PoolLimits {
  readonly threads: number;
  /** Heap of one thread; what needs more ends the thread, and the process lives on. */
  readonly memoryMb: number;
  /** A thread without work for so long is ended: it keeps the memory that its largest task took. */
  readonly idleMs: number;
}

export interface TaskOptions {
  /** Memory to hand over with the task instead of copying it. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Ends the thread that does the task; the task then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** From when a thread takes the task, in milliseconds; no end when absent. */
  readonly withinMs?: number;
}

/** Why a thread gave no answer: it took too long, needed too much memory, or ended. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  readonly kind: 'time' | 'memory' | 'exit';
  constructor(kind: ThreadError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What a task threw: errors of our own come out of a thread as this, since only their texts cross. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** The name of the error's class. */
  readonly thrown: string;
  constructor(thrown: string, message: string, stack: string | undefined) {
    super(message);
    this.thrown = thrown;
    if (stack !== undefined) this.stack = stack;
  }
}

interface IdleThread {
  readonly worker: Worker;
  readonly end: NodeJS.Timeout;
}

/** Somebody who waits for a thread. */
type Waiting = PromiseWithResolvers<Worker>;

/** Threads are started when needed, kept for the next task, and never keep the process alive while they have nothing to do. */
export class ThreadPool<Task, Value> {
  private readonly entry: URL;
  private readonly limits: PoolLimits;
  private readonly idle: IdleThread[] = [];
  /** Whose turn it is stands first: threads are handed to them, so that nobody who comes later takes one before. */
  private readonly waiting: Waiting[] = [];
  private started = 0;

  /** `entry` is the file that a thread runs. */
  constructor(entry: URL, limits: PoolLimits) {
    this.entry = entry;
    this.limits = limits;
  }

  /** Threads there are, at work or idle. */
  get threads(): number {
    return this.started;
  }

  /**
   * Does the task in the next free thread.
   * @throws {TaskError} what the task threw; {ThreadError} when no answer came; the signal's reason when it aborts
   */
  async run(task: Task, options: TaskOptions = {}): Promise<Value> {
    const worker = await this.take(options.signal);
    let answer: TaskAnswer<Value>;
    try {
      answer = await answerOf<Value>(worker, task, options);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    this.giveBack(worker);
    if (answer.ok) return answer.value;
    throw new TaskError(answer.thrown, answer.message, answer.stack);
  }

  private async take(signal: AbortSignal | undefined): Promise<Worker> {
    const thread = this.idle.pop();
    if (thread !== undefined) {
      clearTimeout(thread.end);
      thread.worker.ref();
      return thread.worker;
    }
    return this.started < this.limits.threads ? this.start() : this.nextFree(signal);
  }

  private nextFree(signal: AbortSignal | undefined): Promise<Worker> {
    signal?.throwIfAborted();
    const waiting: Waiting = Promise.withResolvers();
    const onAbort = (): void => {
      const place = this.waiting.indexOf(waiting);
      if (place >= 0) this.waiting.splice(place, 1);
      waiting.reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort);
    this.waiting.push(waiting);
    return waiting.promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  private start(): Worker {
    const worker = new Worker(this.entry, {
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMb },
      execArgv: [], // those of the process may be about its own entry
    });
    this.started++;
    worker.on('error', () => undefined); // whoever waits for it is told; one that is idle is only replaced
    worker.once('exit', () => {
      this.started--;
      this.forget(worker);
      this.replace();
    });
    return worker;
  }

  /** Starts a thread for whose turn it is. When that fails, there may be no other left whose end would bring the next one's turn. */
  private replace(): void {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      try {
        return next.resolve(this.start());
      } catch (error) {
        next.reject(error);
      }
    }
  }

  private giveBack(worker: Worker): void {
    const next = this.waiting.shift();
    if (next !== undefined) return next.resolve(worker);
    worker.unref();
    const end = setTimeout(() => {
      this.forget(worker);
      void worker.terminate();
    }, this.limits.idleMs).unref();
    this.idle.push({ worker, end });
  }

  private forget(worker: Worker): void {
    const place = this.idle.findIndex((thread) => thread.worker === worker);
    for (const { end } of place < 0 ? [] : this.idle.splice(place, 1)) clearTimeout(end);
  }
}

function answerOf<Value>(
  worker: Worker,
  task: unknown,
  { transfer = [], signal, withinMs }: TaskOptions,
): Promise<TaskAnswer<Value>> {
  signal?.throwIfAborted();
  worker.postMessage(task, transfer);
  // What follows needs not be undone when the task can't be sent, and its answer comes in a later turn of the event loop.
  const { promise, resolve, reject } = Promise.withResolvers<TaskAnswer<Value>>();
  const onError = (error: NodeJS.ErrnoException): void =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory(error) : error);
  const onExit = (code: number): void =>
    reject(new ThreadError('exit', `The thread ended with code ${code} before its task did`));
  const onAbort = (): void => reject(signal?.reason as Error);
  const timer = withinMs === undefined ? undefined : setTimeout(() => reject(tooSlow(withinMs)), withinMs);
  worker.once('message', resolve);
  worker.once('error', onError);
  worker.once('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve);
    worker.off('error', onError);
    worker.off('exit', onExit);
    signal?.removeEventListener('abort', onAbort);
  });
}

function tooSlow(withinMs: number): ThreadError {
  return new ThreadError('time', `The task took longer than ${withinMs / 1000} s and was ended`);
}

function outOfMemory(cause: Error): ThreadError {
  return new ThreadError('memory', 'The task needed more memory than a thread may take', { cause });
}
