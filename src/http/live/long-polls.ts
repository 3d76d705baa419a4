/** Machines that wait for something new to run: one look for all of a tenant, woken by the database's hints. */
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import { Wakeup } from '../../concurrency/wakeup.ts';
import { KEYS_CHANNEL } from '../../control/access/api-keys.ts';
import { listLostKeys } from '../../store/keys/api-keys.ts';
import type { Database } from '../../store/database/database.ts';
import type { Subscription } from '../../store/database/listener.ts';

/** Hints get lost; what is to be run does not. */
const LOOK_MILLISECONDS = 2_000;
/** How soon a poll ends whose key was taken back without a hint. */
const KEYS_MILLISECONDS = 800;

export interface LongPoll {
  readonly tenantId: string;
  readonly keyId: string;
  /** Of what the machine runs it for: a speaker, a firewall client. */
  readonly id: string;
  readonly waitSeconds: number;
  /** Whether the machine has what has this entity tag. */
  readonly has: (tag: string) => boolean;
  /** Checks again whether the key is valid. @throws {Problem} when it is not */
  readonly authenticateAgain: () => Promise<unknown>;
  /** Aborts when the machine has gone: what it would be given then is nobody's. */
  readonly gone: AbortSignal;
}

/** What some of those that were looked for are to run; those that are to run nothing yet are missing. */
export interface Looked<Found> {
  readonly ids: readonly string[];
  readonly found: ReadonlyMap<string, Found>;
}

/** What is waited for. */
export interface Awaited<Found> {
  /** Where the database hints that something may be new. */
  readonly channel: string;
  readonly look: (tenantId: string, ids: readonly string[]) => AsyncIterable<Looked<Found>>;
  readonly tagOf: (found: Found) => string;
  /** For the log, when a look fails. */
  readonly failure: string;
}

interface Waiter<Found> extends LongPoll {
  /** Of performance.now(). */
  readonly until: number;
  isSeen: boolean;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

export class LongPolls<Found> {
  readonly #db: Database;
  readonly #log: FastifyBaseLogger;
  readonly #awaited: Awaited<Found>;
  readonly #tenants = new Map<string, TenantPolls<Found>>();
  #hints: Subscription[] | null = null;
  #closed = false;

  constructor(db: Database, log: FastifyBaseLogger, awaited: Awaited<Found>) {
    this.#db = db;
    this.#log = log;
    this.#awaited = awaited;
  }

  /**
   * What the machine is to run, as soon as it is something that it has not, or when the wait is over.
   * @returns null when there is none yet
   * @throws {Problem} also when the key is taken back meanwhile, the database goes away or the process stops
   */
  wait(poll: LongPoll): Promise<Found | null> {
    if (this.#closed) return Promise.reject(stopping());
    this.#listen();
    const { tenantId } = poll;
    let polls = this.#tenants.get(tenantId);
    if (polls === undefined) {
      const onIdle = (): unknown => this.#tenants.delete(tenantId);
      polls = new TenantPolls(this.#db, this.#awaited, tenantId, this.#log, onIdle);
      this.#tenants.set(tenantId, polls);
    }
    return polls.add(poll);
  }

  /** Ends all polls, and takes none any more. */
  close(): void {
    this.#closed = true;
    for (const hint of this.#hints ?? []) hint.close();
    for (const polls of this.#tenants.values()) polls.end(stopping());
  }

  #listen(): void {
    const each = (tenantId: string | null, visit: (polls: TenantPolls<Found>) => void): void => {
      for (const [id, polls] of this.#tenants) if (tenantId === null || tenantId === id) visit(polls);
    };
    this.#hints ??= [
      this.#db.listen(this.#awaited.channel, (tenantId) => each(tenantId, (polls) => polls.hint())),
      this.#db.listen(KEYS_CHANNEL, (tenantId) => each(tenantId, (polls) => void polls.checkKeys())),
    ];
  }
}

function stopping(): Problem {
  return new Problem('shutting_down', 'The service is stopping. Try again in a moment.', { retryAfter: 2 });
}

function unheard(): Problem {
  return new Problem('busy', 'Nobody waits any more for what there is to run.');
}

/** The polls of one tenant; there is one only as long as somebody waits. */
class TenantPolls<Found> {
  readonly #db: Database;
  readonly #awaited: Awaited<Found>;
  readonly #tenantId: string;
  readonly #log: FastifyBaseLogger;
  readonly #onIdle: () => void;
  readonly #waiters = new Set<Waiter<Found>>();
  #isHinted = false;
  readonly #wakeup = new Wakeup();
  #isRunning = false;

  constructor(
    db: Database,
    awaited: Awaited<Found>,
    tenantId: string,
    log: FastifyBaseLogger,
    onIdle: () => void,
  ) {
    this.#db = db;
    this.#awaited = awaited;
    this.#tenantId = tenantId;
    this.#log = log;
    this.#onIdle = onIdle;
  }

  add(poll: LongPoll): Promise<Found | null> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + poll.waitSeconds * 1_000;
      const waiter: Waiter<Found> = { ...poll, until, isSeen: false, resolve, reject };
      const leave = (): void => this.#settle(waiter, () => reject(unheard()));
      if (poll.gone.aborted) {
        reject(unheard());
        return;
      }
      poll.gone.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
      this.#wakeup.hint();
      if (!this.#isRunning) void this.#run();
    });
  }

  /** What is to be run may have changed. */
  hint(): void {
    this.#isHinted = true;
    this.#wakeup.hint();
  }

  end(error: unknown): void {
    for (const waiter of this.#waiters) this.#settle(waiter, () => waiter.reject(error));
    this.#wakeup.hint();
  }

  /** Ends the polls whose key is not good any more. */
  async checkKeys(among: Iterable<Waiter<Found>> = this.#waiters): Promise<void> {
    await Promise.all(
      Array.from(among, async (waiter) => {
        try {
          await waiter.authenticateAgain();
        } catch (error) {
          this.#settle(waiter, () => waiter.reject(error));
        }
      }),
    );
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let lookedAt = -Infinity;
    let checkedAt = performance.now();
    while (this.#waiters.size > 0) {
      const now = performance.now();
      const isDue = this.#isHinted || now - lookedAt >= LOOK_MILLISECONDS;
      this.#isHinted = false;
      this.#wakeup.forget();
      if (isDue) lookedAt = now;
      const asked = [...this.#waiters].filter(({ isSeen, until }) => isDue || !isSeen || until <= now);
      try {
        await this.#look(asked);
        if (performance.now() - checkedAt >= KEYS_MILLISECONDS) {
          checkedAt = performance.now();
          await this.#checkLostKeys();
        }
      } catch (error) {
        this.#log.warn({ err: error, tenant_id: this.#tenantId }, this.#awaited.failure);
        this.end(error);
      }
      await this.#pause();
    }
    this.#isRunning = false;
    this.#onIdle();
  }

  async #look(asked: readonly Waiter<Found>[]): Promise<void> {
    if (asked.length === 0) return;
    const { look, tagOf } = this.#awaited;
    const ids = [...new Set(asked.map(({ id }) => id))];
    for await (const { ids: lookedAt, found } of look(this.#tenantId, ids)) {
      const some = new Set(lookedAt);
      for (const waiter of asked.filter(({ id }) => some.has(id))) {
        waiter.isSeen = true;
        const one = found.get(waiter.id) ?? null;
        const isNews = one !== null && !waiter.has(tagOf(one));
        if (isNews || waiter.until <= performance.now()) this.#settle(waiter, () => waiter.resolve(one));
      }
    }
  }

  /** One question for all: asking for each would be a thousand a second for a thousand nodes. */
  async #checkLostKeys(): Promise<void> {
    const ids = [...new Set(Array.from(this.#waiters, ({ keyId }) => keyId))];
    if (ids.length === 0) return;
    const lost = await this.#db.inTenant(this.#tenantId, (tx) => listLostKeys(tx, ids));
    if (lost.length > 0) await this.checkKeys([...this.#waiters].filter(({ keyId }) => lost.includes(keyId)));
  }

  #settle(waiter: Waiter<Found>, answer: () => void): void {
    if (this.#waiters.delete(waiter)) answer();
  }

  /** Until somebody new comes, a hint, the next look at the keys, or the end of a wait. */
  async #pause(): Promise<void> {
    if (this.#waiters.size === 0) return;
    const ends = Array.from(this.#waiters, ({ until }) => until).reduce((a, b) => Math.min(a, b));
    await this.#wakeup.pause(Math.min(KEYS_MILLISECONDS, ends - performance.now()));
  }
}
