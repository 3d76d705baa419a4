/** Requests that wait for the end of a job: one look for all of a tenant, woken by the hints of events, and no connection held. */
import type { FastifyBaseLogger } from 'fastify';
import { Wakeup } from '../../concurrency/wakeup.ts';
import type { Database } from '../../store/database/database.ts';
import type { Subscription } from '../../store/database/listener.ts';
import { EVENTS_CHANNEL } from '../../store/events.ts';
import { listOpenJobs } from '../../store/jobs/jobs.ts';

/** Requests of one tenant that may wait at this process; more are answered at once. */
export const JOB_WAITS_OF_A_TENANT = 64;
/** Hints get lost; the ends of jobs do not. */
const LOOK_MILLISECONDS = 2_000;
/** Every step of every job is hinted at. */
const HINTED_LOOK_MILLISECONDS = 50;

export interface JobWait {
  readonly tenantId: string;
  readonly jobId: string;
  readonly seconds: number;
  /** Aborts when the client goes. */
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly jobId: string;
  readonly end: () => void;
}

export class JobWaits {
  readonly #db: Database;
  readonly #log: FastifyBaseLogger;
  readonly #lookMilliseconds: number;
  readonly #tenants = new Map<string, TenantWaits>();
  #hints: Subscription | null = null;
  #closed = false;

  /** @param lookMilliseconds how long it looks for no end by itself */
  constructor(db: Database, log: FastifyBaseLogger, lookMilliseconds = LOOK_MILLISECONDS) {
    this.#db = db;
    this.#log = log;
    this.#lookMilliseconds = lookMilliseconds;
  }

  /**
   * Resolves when the job has ended or there is none, when the time is over, the client has gone or the process stops, and at once for a
   * tenant of which too many wait: the caller reads how the job is then.
   */
  async wait({ tenantId, jobId, seconds, signal }: JobWait): Promise<void> {
    if (this.#closed || signal.aborted || seconds <= 0) return;
    this.#listen();
    let waits = this.#tenants.get(tenantId);
    if (waits === undefined) {
      const onIdle = (): boolean => this.#tenants.delete(tenantId);
      waits = new TenantWaits(this.#db, tenantId, this.#log, this.#lookMilliseconds, onIdle);
      this.#tenants.set(tenantId, waits);
    }
    await waits.add(jobId, seconds, signal);
  }

  /** Ends all waits, and begins none any more. */
  close(): void {
    this.#closed = true;
    this.#hints?.close();
    for (const waits of this.#tenants.values()) waits.end();
  }

  #listen(): void {
    this.#hints ??= this.#db.listen(EVENTS_CHANNEL, (tenantId) => {
      for (const [id, waits] of this.#tenants) if (tenantId === null || tenantId === id) waits.hint();
    });
  }
}

/** The waits of one tenant; there are some as long as this is. */
class TenantWaits {
  readonly #db: Database;
  readonly #tenantId: string;
  readonly #log: FastifyBaseLogger;
  readonly #lookMilliseconds: number;
  readonly #onIdle: () => void;
  readonly #waiters = new Set<Waiter>();
  readonly #wakeup = new Wakeup();
  #isRunning = false;
  /** When the last look began, by the steady clock. */
  #lookedAt = -Infinity;

  constructor(
    db: Database,
    tenantId: string,
    log: FastifyBaseLogger,
    lookMilliseconds: number,
    onIdle: () => void,
  ) {
    this.#db = db;
    this.#tenantId = tenantId;
    this.#log = log;
    this.#lookMilliseconds = lookMilliseconds;
    this.#onIdle = onIdle;
  }

  async add(jobId: string, seconds: number, signal: AbortSignal): Promise<void> {
    if (this.#waiters.size >= JOB_WAITS_OF_A_TENANT) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiters.delete(waiter);
        resolve();
        if (this.#waiters.size === 0) this.#wakeup.hint();
      };
      const waiter: Waiter = { jobId, end };
      const timer = setTimeout(end, seconds * 1_000);
      signal.addEventListener('abort', end);
      this.#waiters.add(waiter);
      this.#wakeup.hint();
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Hints come in swarms: one look for several. */
  hint(): void {
    this.#wakeup.hint(Math.max(0, this.#lookedAt + HINTED_LOOK_MILLISECONDS - performance.now()));
  }

  end(): void {
    for (const { end } of this.#waiters) end();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiters.size > 0) {
      this.#wakeup.forget();
      this.#lookedAt = performance.now();
      const waiters = [...this.#waiters];
      try {
        const ids = [...new Set(waiters.map(({ jobId }) => jobId))];
        const open = new Set(await this.#db.alone((tx) => listOpenJobs(tx, this.#tenantId, ids)));
        for (const { jobId, end } of waiters) if (!open.has(jobId)) end();
      } catch (error) {
        this.#log.warn({ err: error, tenant_id: this.#tenantId }, 'Jobs could not be waited for');
        this.end();
      }
      if (this.#waiters.size > 0) await this.#wakeup.pause(this.#lookMilliseconds);
    }
    this.#isRunning = false;
    this.#onIdle();
  }
}
