/** Reads large answers about ASes in a thread, so that the event loop stays free. */
import { extname } from 'node:path';
import {
  type AnyBytes,
  type SentBytes,
  type WithBody,
  freeBytes,
  sendBytes,
} from '../../concurrency/parcel.ts';
import { ThreadError, ThreadPool } from '../../concurrency/thread-pool.ts';
import type { UnreadAsn } from './answer.ts';
import { type AsnTask, type OriginsTask, type RipestatTask, readAsnBody } from './read-answer.ts';
import type { ReadOrigins } from './table-origins.ts';
import type { ReadTable } from './table-rows.ts';
import { SourceError } from '../source-error.ts';

/** Bodies up to this size take about as long to read as to transfer. */
const INLINE_BYTES = 256 * 1024;
const WITHIN_MS = 60_000;

const ENTRY = new URL(`answer-worker${extname(import.meta.url)}`, import.meta.url);

/** A task with its body as it was fetched, and as the thread gets it. */
type FetchedTask = WithBody<AsnTask, AnyBytes>;
type FetchedOrigins = WithBody<OriginsTask, AnyBytes>;
export type SentTask = WithBody<AsnTask | OriginsTask, SentBytes>;

const pool = new ThreadPool<SentTask, ReadTable | ReadOrigins | UnreadAsn>(ENTRY, {
  threads: 1,
  memoryMb: 1024,
  idleMs: 30_000,
});

/** The memory of `task.body` is transferred. @throws SourceError; the signal's reason when it aborts */
export async function readAsnBodyInThread(
  task: FetchedTask,
  place: string,
  signal: AbortSignal | undefined,
): Promise<ReadTable> {
  return readGood(task, place, () =>
    isQuick(task) ? readAsnBody(task) : inThread<ReadTable>(task, place, signal),
  );
}

/** As {@link readAsnBodyInThread}: which ASes a table has for prefixes. */
export async function readOriginsInThread(
  task: FetchedOrigins,
  place: string,
  signal: AbortSignal | undefined,
): Promise<ReadOrigins> {
  return readGood(task, place, () => inThread<ReadOrigins>(task, place, signal));
}

async function readGood<Read extends { readonly ok: true }>(
  task: FetchedTask | FetchedOrigins,
  place: string,
  run: () => Promise<Read | UnreadAsn> | Read | UnreadAsn,
): Promise<Read> {
  try {
    const read = await run();
    if (!read.ok) throw new SourceError(read.code, `${place}: ${read.reason}.`);
    return read;
  } finally {
    freeBytes(task.body);
  }
}

/** @template Read what this task makes */
async function inThread<Read extends ReadTable | ReadOrigins>(
  task: FetchedTask | FetchedOrigins,
  place: string,
  signal: AbortSignal | undefined,
): Promise<Read | UnreadAsn> {
  try {
    const { sent, transfer } = sendBytes(task.body);
    const options = { transfer, signal, withinMs: WITHIN_MS };
    return (await pool.run({ ...task, body: sent }, options)) as Read | UnreadAsn;
  } catch (error) {
    if (!(error instanceof ThreadError) || error.kind === 'exit') throw error;
    throw error.kind === 'time'
      ? new SourceError('source_timeout', `${place} takes longer than ${WITHIN_MS / 1000} s to read.`)
      : new SourceError(
          'source_too_large',
          `${place} takes more memory to read than the service reserves for it.`,
        );
  }
}

/** Gzip does not reveal the unpacked size of a table. */
function isQuick(task: FetchedTask): task is RipestatTask {
  return task.body instanceof Uint8Array && task.body.length <= INLINE_BYTES && task.kind !== 'table';
}
