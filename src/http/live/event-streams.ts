/** All event streams of this process: one query for all that wait for the same, and one listener for the database's hints. */
import type { FastifyBaseLogger } from 'fastify';
import type { EventPosition } from '../../control/follow-events.ts';
import type { Database } from '../../store/database/database.ts';
import { EVENTS_CHANNEL, readEvents, type StoredEvent } from '../../store/events.ts';
import type { Subscription } from '../../store/database/listener.ts';
import { EventStream } from './event-stream.ts';
import { OpenStreams, type StreamReader } from './open-streams.ts';
import { CoalescedRuns } from '../../concurrency/coalesced-runs.ts';

/** Events that are read at once; half a kilobyte each. */
const PAGE = 200;

export interface Follower extends StreamReader {
  readonly position: EventPosition;
  /** As the reader gave it. */
  readonly lastEventId: string | null;
}

export class EventStreams {
  readonly #db: Database;
  readonly #log: FastifyBaseLogger;
  readonly #streams: OpenStreams<EventStream, Follower>;
  readonly #reads = new CoalescedRuns<StoredEvent[]>();
  #hints: Subscription | null = null;

  constructor(db: Database, log: FastifyBaseLogger) {
    this.#db = db;
    this.#log = log;
    this.#streams = new OpenStreams('events', log);
  }

  /**
   * Opens a stream; it ends when its reader goes, its key or tenant is taken back, or the process stops.
   * @throws {Problem} `rate_limited` when the key or its tenant has too many
   */
  open(follower: Follower): EventStream {
    const { tenantId, position, lastEventId } = follower;
    this.#streams.requirePlace(follower);
    this.#listen();
    const stream = new EventStream({
      after: position.after,
      lostId: position.isReset ? lastEventId : null,
      read: (after) => this.#read(tenantId, after),
      onFault: (error) => this.#log.warn({ err: error }, 'Events could not be read'),
    });
    return this.#streams.add(stream, follower);
  }

  /** Ends all streams, and opens none any more. */
  close(): void {
    this.#hints?.close();
    this.#streams.close();
  }

  #read(tenantId: string, after: number): Promise<StoredEvent[]> {
    return this.#reads.run(`${tenantId} ${after}`, () =>
      this.#db.inTenant(tenantId, (tx) => readEvents(tx, after, PAGE)),
    );
  }

  #listen(): void {
    this.#hints ??= this.#db.listen(EVENTS_CHANNEL, (tenantId) => {
      for (const [stream, follower] of this.#streams)
        if (tenantId === null || follower.tenantId === tenantId) stream.hint();
    });
  }
}
