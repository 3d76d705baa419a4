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
const MAX_THREADS = 2;
/** A thread that needs more is ended by the runtime, and the process lives on. */
const THREAD_MEMORY_MB = 768;
/** A thread that has nothing to do for so long is ended: it keeps the memory that its largest list took. */
const IDLE_MS = 30_000;

const ENTRY = new URL(`parse-worker${extname(import.meta.url)}`, import.meta.url);

export interface ParseOptions {
  readonly signal?: AbortSignal | undefined;
  /** From when a thread takes the list, in milliseconds. */
  readonly parseMs: number;
}

interface IdleThread {
  readonly worker: Worker;
  readonly end: NodeJS.Timeout;
}

const idle: IdleThread[] = [];
const waiting: (() => void)[] = [];
let threads = 0;

/**
 * Reads the list here or in a thread; `list.body` is given away.
 *
 * @throws SourceError when the list takes too long or too much memory; the signal's reason when it aborts
 */
export async function parseList(list: ListToRead, options: ParseOptions): Promise<ReadList | UnreadList> {
  options.signal?.throwIfAborted();
  // A path may contain searches within searches, and so take any time on any document.
  if (list.body.length <= INLINE_BYTES && list.jsonPath === null) return readList(list);
  const worker = await takeWorker(options.signal);
  try {
    const answer = await readIn(worker, list, options);
    giveBack(worker);
    return answer;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

async function takeWorker(signal: AbortSignal | undefined): Promise<Worker> {
  while (idle.length === 0 && threads === MAX_THREADS) await nextFree(signal);
  const thread = idle.pop();
  if (thread === undefined) return startWorker();
  clearTimeout(thread.end);
  thread.worker.ref();
  return thread.worker;
}

function nextFree(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => {
    const place = waiting.indexOf(resolve);
    if (place >= 0) waiting.splice(place, 1);
    reject(signal?.reason as Error);
  };
  signal?.addEventListener('abort', onAbort);
  waiting.push(resolve);
  return promise.finally(() => signal?.removeEventListener('abort', onAbort));
}

function startWorker(): Worker {
  const worker = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB } });
  threads++;
  worker.on('error', () => undefined); // whoever waits for it is told; one that is idle is only replaced
  worker.once('exit', () => {
    threads--;
    forget(worker);
    waiting.shift()?.();
  });
  return worker;
}

function giveBack(worker: Worker): void {
  worker.unref();
  const end = setTimeout(() => {
    forget(worker);
    void worker.terminate();
  }, IDLE_MS).unref();
  idle.push({ worker, end });
  waiting.shift()?.();
}

function forget(worker: Worker): void {
  const place = idle.findIndex((thread) => thread.worker === worker);
  for (const { end } of place < 0 ? [] : idle.splice(place, 1)) clearTimeout(end);
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
