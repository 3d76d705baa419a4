/** Reads large lists, and lists with unpredictable cost, in threads, so that the event loop stays free. */
import { extname } from 'node:path';
import { type PoolLimits, ThreadError, ThreadPool } from '../../concurrency/thread-pool.ts';
import {
  type AnyBytes,
  type SentBytes,
  type WithBody,
  freeBytes,
  sendBytes,
} from '../../concurrency/parcel.ts';
import { type ListToRead, type ReadList, type UnreadList, readList } from './read-list.ts';
import { SourceError } from '../source-error.ts';

/** Bodies up to this size take about as long to read as to transfer. */
const INLINE_BYTES = 256 * 1024;
/** The same for bodies that may contain ranges: a short line with one can stand for 254 prefixes. */
const INLINE_BYTES_OF_RANGES = 16 * 1024;
const HYPHEN = 0x2d;

const ENTRY = new URL(`parse-worker${extname(import.meta.url)}`, import.meta.url);

export interface ParseOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from when a thread takes the list. */
  readonly parseMs: number;
}

/** A list as it was fetched. */
export type FetchedList = WithBody<ListToRead, AnyBytes>;

/** A list as the thread gets it. */
export type SentList = WithBody<ListToRead, SentBytes>;

export class ParsePool {
  readonly #pool: ThreadPool<SentList, ReadList | UnreadList>;

  constructor(limits: PoolLimits) {
    this.#pool = new ThreadPool(ENTRY, limits);
  }

  /** Number of threads, busy or idle. */
  get threads(): number {
    return this.#pool.threads;
  }

  /**
   * Reads the list in a thread. The memory of `list.body` is transferred to it.
   *
   * @throws SourceError when that takes too long or too much memory; the signal's reason when it aborts
   */
  async read(list: FetchedList, { signal, parseMs }: ParseOptions): Promise<ReadList | UnreadList> {
    try {
      const { sent, transfer } = sendBytes(list.body);
      return await this.#pool.run({ ...list, body: sent }, { transfer, signal, withinMs: parseMs });
    } catch (error) {
      if (error instanceof ThreadError && error.kind === 'time') throw tooSlow(parseMs);
      if (error instanceof ThreadError && error.kind === 'memory') throw tooLarge(error);
      throw error;
    }
  }
}

const pool = new ParsePool({ threads: 2, memoryMb: 768, idleMs: 30_000 });

/**
 * Reads the list, here if that is certainly quick, otherwise in a thread of the process's one pool.
 *
 * @throws as {@link ParsePool.read}
 */
export async function parseList(list: FetchedList, options: ParseOptions): Promise<ReadList | UnreadList> {
  try {
    options.signal?.throwIfAborted();
    return isQuick(list) ? readList(list) : await pool.read(list, options);
  } finally {
    freeBytes(list.body);
  }
}

/** A path may contain nested searches, and so take any time on any document. */
function isQuick(list: FetchedList): list is ListToRead {
  const { body, jsonPath } = list;
  if (!(body instanceof Uint8Array) || jsonPath !== null || body.length > INLINE_BYTES) return false;
  return body.length <= INLINE_BYTES_OF_RANGES || !body.includes(HYPHEN);
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
    'Reading the list takes more memory than the service reserves for it: use a shorter list, or split it over several sources.',
    { cause },
  );
}
