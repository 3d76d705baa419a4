/**
 * Reads large lists, and lists whose reading nobody can foresee the cost of, in threads, so that the event loop stays free.
 * Threads are started when needed, kept for the next list, and never keep the process alive while they have nothing to do.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ListToRead, type ReadList, type UnreadList, readList } from './read-list.ts';
import { SourceError } from './source-error.ts';

/** Bodies up to this many bytes take about as long to read as to hand over. */
const INLINE_BYTES = 256 * 1024;

const ENTRY = new URL(`parse-worker${extname(import.meta.url)}`, import.meta.url);

export interface PoolLimits {
  readonly threads: number;
  /** Heap of one thread; what needs more ends the thread, and the process lives on. */
  readonly memoryMb: number;
  /** A thread without work for so long is ended: it keeps the memory that its largest list took. */
  readonly idleMs: number;
}

export interface ParseOptions {
  readonly signal?: AbortSignal | undefined;
  /** From when a thread takes the list, in milliseconds. */
  readonly parseMs: number;
}

interface IdleThread {
  readonly worker: Worker;
  readonly end: NodeJS.Timeout;
}

export class ParsePool {
  private readonly limits: PoolLimits;
  private readonly idle: IdleThread[] = [];
  private readonly waiting: (() => void)[] = [];
  private started = 0;

  constructor(limits: PoolLimits) {
    this.limits = limits;
  }

  /** Threads there are, at work or idle. */
  get threads(): number {
    return this.started;
  }

  /**
   * Reads the list in a thread. The memory of `list.body` is handed over to it.
   *
   * @throws SourceError when that takes too long or too much memory; the signal's reason when it aborts
   */
  async read(list: ListToRead, options: ParseOptions): Promise<ReadList | UnreadList> {
    const worker = await this.take(options.signal);
    try {
      const answer = await readIn(worker, list, options);
      this.giveBack(worker);
      return answer;
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  private async take(signal: AbortSignal | undefined): Promise<Worker> {
    while (this.idle.length === 0 && this.started === this.limits.threads) await this.nextFree(signal);
    const thread = this.idle.pop();
    if (thread === undefined) return this.start();
    clearTimeout(thread.end);
    thread.worker.ref();
    return thread.worker;
  }

  private nextFree(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      const place = this.waiting.indexOf(resolve);
      if (place >= 0) this.waiting.splice(place, 1);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort);
    this.waiting.push(resolve);
    return promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  private start(): Worker {
    const worker = new Worker(ENTRY, {
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMb },
      execArgv: [], // those of the process may be about its own entry
    });
    this.started++;
    worker.on('error', () => undefined); // whoever waits for it is told; one that is idle is only replaced
    worker.once('exit', () => {
      this.started--;
      this.forget(worker);
      this.waiting.shift()?.();
    });
    return worker;
  }

  private giveBack(worker: Worker): void {
    worker.unref();
    const end = setTimeout(() => {
      this.forget(worker);
      void worker.terminate();
    }, this.limits.idleMs).unref();
    this.idle.push({ worker, end });
    this.waiting.shift()?.();
  }

  private forget(worker: Worker): void {
    const place = this.idle.findIndex((thread) => thread.worker === worker);
    for (const { end } of place < 0 ? [] : this.idle.splice(place, 1)) clearTimeout(end);
  }
}

const pool = new ParsePool({ threads: 2, memoryMb: 768, idleMs: 30_000 });

/**
 * Reads the list, here when that is sure to be quick, else in a thread of the process's one pool.
 *
 * @throws as {@link ParsePool.read}
 */
export async function parseList(list: ListToRead, options: ParseOptions): Promise<ReadList | UnreadList> {
  options.signal?.throwIfAborted();
  // A path may contain searches within searches, and so take any time on any document.
  if (list.body.length <= INLINE_BYTES && list.jsonPath === null) return readList(list);
  return pool.read(list, options);
}

function readIn(
  worker: Worker,
  list: ListToRead,
  { signal, parseMs }: ParseOptions,
): Promise<ReadList | UnreadList> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ReadList | UnreadList>();
  const onError = (error: NodeJS.ErrnoException): void =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(error) : error);
  const onExit = (code: number): void => reject(new Error(`The parse thread ended with code ${code}`));
  const onAbort = (): void => reject(signal?.reason as Error);
  const timer = setTimeout(() => reject(tooSlow(parseMs)), parseMs);
  worker.once('message', resolve);
  worker.once('error', onError);
  worker.once('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  worker.postMessage(list, [list.body.buffer]);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve);
    worker.off('error', onError);
    worker.off('exit', onExit);
    signal?.removeEventListener('abort', onAbort);
  });
}

function tooSlow(parseMs: number): SourceError {
  return new SourceError(
    'source_timeout',
    `Reading the list takes longer than ${parseMs / 1000} s: write a json_path that names each member, without "..", or use a shorter list.`,
  );
}

function tooLarge(cause: Error): SourceError {
  return new SourceError(
    'source_too_large',
    'Reading the list takes more memory than is set aside for it: use a shorter list, or split it over several sources.',
    { cause },
  );
}
