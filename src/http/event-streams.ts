/** Every stream of events that this process tells: one look for all that wait for the same, one ear for the database's hints. */
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../api/problem.ts';
import type { EventPosition } from '../control/follow-events.ts';
import type { Database } from '../store/database/database.ts';
import { EVENTS_CHANNEL, readEvents, type StoredEvent } from '../store/events.ts';
import type { Subscription } from '../store/database/listener.ts';
import { EventStream } from './event-stream.ts';
import { SharedReads } from './shared-reads.ts';

/** Streams that one key may hold open at this process. */
export const STREAMS_OF_A_KEY = 8;
/** And all keys of a tenant together. */
export const STREAMS_OF_A_TENANT = 64;
/** Events that are read at once; half a kilobyte each. */
const PAGE = 200;
/** How soon a stream ends whose key was taken back. */
const CHECK_MILLISECONDS = 1_000;

export interface Follower {
  readonly tenantId: string;
  readonly keyId: string;
  readonly position: EventPosition;
  /** As the reader gave it. */
  readonly lastEventId: string | null;
  /** Asks anew whether the key is good. @throws {Problem} when it is not */
  readonly authenticateAgain: () => Promise<unknown>;
}

export class EventStreams {
  readonly #db: Database;
  readonly #log: FastifyBaseLogger;
  readonly #streams = new Map<EventStream, Follower>();
  readonly #reads = new SharedReads<StoredEvent[]>();
  #hints: Subscription | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Database, log: FastifyBaseLogger) {
    this.#db = db;
    this.#log = log;
  }

  /**
   * Opens a stream; it ends when its reader goes, its key or tenant is taken back, or the process stops.
   * @throws {Problem} `rate_limited` when the key or its tenant has too many
   */
  open(follower: Follower): EventStream {
    const { tenantId, keyId, position, lastEventId } = follower;
    if (this.#closed)
      throw new Problem('shutting_down', 'The service is stopping. Ask another one.', { retryAfter: 2 });
    const ofTenant = [...this.#streams.values()].filter((other) => other.tenantId === tenantId);
    if (ofTenant.length >= STREAMS_OF_A_TENANT)
      throw new Problem(
        'rate_limited',
        `Keys of the tenant follow events ${ofTenant.length} times already, which is the most that they may. Close one of these streams, or share one.`,
        { retryAfter: 5 },
      );
    const open = ofTenant.filter((other) => other.keyId === keyId).length;
    if (open >= STREAMS_OF_A_KEY)
      throw new Problem(
        'rate_limited',
        `This key follows events ${open} times already, which is the most that it may. Close one of these streams, or share one.`,
        { retryAfter: 5 },
      );
    this.#listen();
    const stream = new EventStream({
      after: position.after,
      lostId: position.isReset ? lastEventId : null,
      read: (after) => this.#read(tenantId, after),
      onFault: (error) => this.#log.warn({ err: error }, 'Events could not be read'),
    });
    this.#streams.set(stream, follower);
    stream.once('close', () => this.#streams.delete(stream));
    // Whoever reads a stream is told by its end; nobody else waits for the error.
    stream.on('error', (error) =>
      this.#log.info({ err: error, key_id: keyId }, 'A reader of events was cut off'),
    );
    return stream;
  }

  /** Ends all streams, and opens none any more. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#hints?.close();
    for (const stream of this.#streams.keys()) stream.end();
  }

  #read(tenantId: string, after: number): Promise<StoredEvent[]> {
    return this.#reads.read(`${tenantId} ${after}`, () =>
      this.#db.inTenant(tenantId, (tx) => readEvents(tx, after, PAGE)),
    );
  }

  #listen(): void {
    if (this.#hints !== null) return;
    this.#hints = this.#db.listen(EVENTS_CHANNEL, (tenantId) => {
      for (const [stream, follower] of this.#streams)
        if (tenantId === null || follower.tenantId === tenantId) stream.hint();
    });
    this.#timer = setInterval(() => void this.#checkKeys(), CHECK_MILLISECONDS).unref();
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
