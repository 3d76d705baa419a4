/** The streams of one kind that this process has open: how many somebody may have, and that each ends with its key. */
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import type { SentEvents } from './sent-events.ts';

/** Streams that one key may hold open at this process. */
export const STREAMS_OF_A_KEY = 8;
/** And all keys of a tenant together. */
export const STREAMS_OF_A_TENANT = 64;
/** How soon a stream ends whose key was taken back. */
const CHECK_MILLISECONDS = 1_000;

/** Whose stream it is. */
export interface StreamReader {
  readonly tenantId: string;
  readonly keyId: string;
  /** Checks again whether the key is valid. @throws {Problem} when it is not */
  readonly authenticateAgain: () => Promise<unknown>;
}

export class OpenStreams<Stream extends SentEvents, Reader extends StreamReader> {
  /** Their purpose, as in "follows events". */
  readonly #what: string;
  readonly #log: FastifyBaseLogger;
  readonly #streams = new Map<Stream, Reader>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(what: string, log: FastifyBaseLogger) {
    this.#what = what;
    this.#log = log;
  }

  /** @throws {Problem} `rate_limited` when the key or its tenant has too many, `shutting_down` */
  requirePlace({ tenantId, keyId }: StreamReader): void {
    if (this.#closed)
      throw new Problem('shutting_down', 'The service is stopping. Ask another one.', { retryAfter: 2 });
    const ofTenant = [...this.#streams.values()].filter((other) => other.tenantId === tenantId);
    if (ofTenant.length >= STREAMS_OF_A_TENANT)
      throw new Problem(
        'rate_limited',
        `Keys of the tenant follow ${this.#what} ${ofTenant.length} times already, which is the most that they may. Close one of these streams, or share one.`,
        { retryAfter: 5 },
      );
    const open = ofTenant.filter((other) => other.keyId === keyId).length;
    if (open >= STREAMS_OF_A_KEY)
      throw new Problem(
        'rate_limited',
        `This key follows ${this.#what} ${open} times already, which is the most that it may. Close one of these streams, or share one.`,
        { retryAfter: 5 },
      );
  }

  /** It ends when its reader goes, its key or tenant is taken back, or the process stops. */
  add(stream: Stream, reader: Reader): Stream {
    this.#timer ??= setInterval(() => void this.#checkKeys(), CHECK_MILLISECONDS).unref();
    this.#streams.set(stream, reader);
    stream.once('close', () => this.#streams.delete(stream));
    // The reader of a stream sees its end; nobody else waits for the error.
    stream.on('error', (error) =>
      this.#log.info({ err: error, key_id: reader.keyId }, `A reader of ${this.#what} was cut off`),
    );
    if (this.#closed) stream.end();
    return stream;
  }

  [Symbol.iterator](): IterableIterator<[Stream, Reader]> {
    return this.#streams.entries();
  }

  /** Ends all streams, and opens none any more. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const stream of this.#streams.keys()) stream.end();
  }

  async #checkKeys(): Promise<void> {
    await Promise.all(
      Array.from(this.#streams, async ([stream, { authenticateAgain }]) => {
        try {
          await authenticateAgain();
        } catch (error) {
          // A database that does not answer says nothing about the key.
          if (error instanceof Problem && (error.status === 401 || error.status === 403)) stream.end();
        }
      }),
    );
  }
}
