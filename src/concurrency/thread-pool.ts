/**
 * Threads for work that would block the event loop. A room with such work has an entry file for the thread, which calls {@link serveTasks}
 * with a pure function, and a {@link ThreadPool} that starts it; this room knows neither.
 */
import { type MessagePort, Worker } from 'node:worker_threads';
import { GroupCounts } from './group-counts.ts';
import { GroupQueue, currentGroup } from './groups.ts';
import type { TaskAnswer } from './serve-tasks.ts';

export interface PoolLimits {
  /** Threads that one group may use; others can use one more. */
  readonly threads: number;
  /** Heap of one thread; exceeding it ends the thread, not the process. */
  readonly memoryMb: number;
  /** An idle thread is ended after this time: it keeps the memory that its largest task took. */
  readonly idleMs: number;
}

export interface TaskOptions {
  /** Memory to transfer with the task instead of copying it. */
  readonly transfer?: readonly (ArrayBuffer | MessagePort)[];
  /** Ends the thread of the task; the task then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the start of the task in a thread; absent: no limit. */
  readonly withinMs?: number;
}

/** Why a thread gave no answer: it took too long, ran out of memory, or ended. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  readonly kind: 'time' | 'memory' | 'exit';
  constructor(kind: ThreadError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What a task threw: errors come out of a thread as this class, since only their texts are transferred. */
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

/** A task that waits for a thread. */
type Waiting = PromiseWithResolvers<Worker>;

/**
 * Threads are started when needed, kept for the next task, and never keep the process alive while idle. One more than a group may use is
 * reserved for others, so that no group waits for the end of another's tasks; waiting tasks take turns by group.
 */
export class ThreadPool<Task, Value> {
  readonly #entry: URL;
  readonly #limits: PoolLimits;
  readonly #idle: IdleThread[] = [];
  readonly #waiting = new GroupQueue<Waiting>();
  /** Running tasks, by group. */
  readonly #busy = new GroupCounts();
  #started = 0;

  /** `entry` is the file that a thread runs. */
  constructor(entry: URL, limits: PoolLimits) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /** Number of threads, busy or idle. */
  get threads(): number {
    return this.#started;
  }

  /**
   * Does the task in the next free thread.
   * @throws {TaskError} what the task threw; {ThreadError} when no answer came; the signal's reason when it aborts
   */
  async run(task: Task, options: TaskOptions = {}): Promise<Value> {
    const group = currentGroup();
    const worker = await this.#take(group, options.signal);
    let answer: TaskAnswer<Value>;
    try {
      answer = await answerOf<Value>(worker, task, options);
    } catch (error) {
      await worker.terminate();
      this.#leave(group);
      throw error;
    }
    this.#keep(worker);
    this.#leave(group);
    if (answer.ok) return answer.value;
    throw new TaskError(answer.thrown, answer.message, answer.stack);
  }

  /** Threads are assigned in the order of turns, so that no later task takes one before. */
  async #take(group: string, signal: AbortSignal | undefined): Promise<Worker> {
    return this.#mayEnter(group) ? this.#enter(group) : this.#nextFree(group, signal);
  }

  #mayEnter(group: string): boolean {
    const { threads } = this.#limits;
    return this.#busy.of(group) < threads && this.#busy.total < threads + 1;
  }

  #enter(group: string): Worker {
    const thread = this.#idle.pop();
    clearTimeout(thread?.end);
    const worker = thread?.worker ?? this.#start();
    worker.ref();
    this.#busy.add(group, 1);
    return worker;
  }

  #leave(group: string): void {
    this.#busy.add(group, -1);
    this.#serve();
  }

  /** If a thread cannot be started, there may be no other whose end would serve the next one: so all waiting tasks fail. */
  #serve(): void {
    const may = (group: string): boolean => this.#mayEnter(group);
    for (let next = this.#waiting.next(may); next !== null; next = this.#waiting.next(may)) {
      try {
        next.waiting.resolve(this.#enter(next.group));
      } catch (error) {
        next.waiting.reject(error);
      }
    }
  }

  #nextFree(group: string, signal: AbortSignal | undefined): Promise<Worker> {
    signal?.throwIfAborted();
    const waiting: Waiting = Promise.withResolvers();
    const onAbort = (): void => {
      this.#waiting.remove(group, waiting);
      waiting.reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort);
    this.#waiting.add(group, waiting);
    return waiting.promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb },
      execArgv: [], // those of the process may be about its own entry
    });
    this.#started++;
    worker.on('error', () => undefined); // a waiting task fails; an idle thread is only replaced
    worker.once('exit', () => {
      this.#started--;
      this.#forget(worker);
    });
    return worker;
  }

  #keep(worker: Worker): void {
    worker.unref();
    const end = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, this.#limits.idleMs).unref();
    this.#idle.push({ worker, end });
  }

  #forget(worker: Worker): void {
    const place = this.#idle.findIndex((thread) => thread.worker === worker);
    for (const { end } of place < 0 ? [] : this.#idle.splice(place, 1)) clearTimeout(end);
  }
}

function answerOf<Value>(
  worker: Worker,
  task: unknown,
  { transfer = [], signal, withinMs }: TaskOptions,
): Promise<TaskAnswer<Value>> {
  signal?.throwIfAborted();
  worker.postMessage(task, transfer);
  // Nothing after this needs to be undone if the task can't be sent; its answer comes in a later turn of the event loop.
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
