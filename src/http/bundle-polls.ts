/** Nodes that wait for something new to run: one look for all of a tenant, woken by the database's hints. */
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../api/problem.ts';
import { KEYS_CHANNEL } from '../control/api-keys.ts';
import { SPEAKERS_CHANNEL } from '../control/rollout/apply-revision.ts';
import { bundleTag, latestBundles, type BundleTools } from '../control/nodes/bundles.ts';
import { RoutesCache } from '../control/nodes/routes-cache.ts';
import { listLostKeys } from '../store/api-keys.ts';
import type { IssuedBundle } from '../store/bundles.ts';
import type { Database } from '../store/database/database.ts';
import type { Subscription } from '../store/database/listener.ts';
import type { SecretBox } from '../store/secrets.ts';

/** Hints get lost; what is to be run does not. */
const LOOK_MILLISECONDS = 2_000;
/** How soon a poll ends whose key was taken back without a hint. */
const KEYS_MILLISECONDS = 800;

export interface BundlePoll {
  readonly tenantId: string;
  readonly keyId: string;
  readonly speakerId: string;
  readonly waitSeconds: number;
  /** Whether the node has the bundle of this entity tag. */
  readonly has: (tag: string) => boolean;
  /** Asks anew whether the key is good. @throws {Problem} when it is not */
  readonly authenticateAgain: () => Promise<unknown>;
}

interface Waiter extends BundlePoll {
  /** Of performance.now(). */
  readonly until: number;
  isSeen: boolean;
  readonly resolve: (bundle: IssuedBundle | null) => void;
  readonly reject: (error: unknown) => void;
}

export class BundlePolls {
  readonly tools: BundleTools;
  readonly #log: FastifyBaseLogger;
  readonly #tenants = new Map<string, TenantPolls>();
  #hints: Subscription[] | null = null;
  #closed = false;

  constructor(db: Database, secrets: SecretBox, log: FastifyBaseLogger) {
    this.tools = { db, secrets, routes: new RoutesCache(db) };
    this.#log = log;
  }

  /**
   * The bundle that the speaker is to run, as soon as it is one that the node has not, or when the wait is over.
   * @returns null when there is none yet
   * @throws {Problem} also when the key is taken back meanwhile, the database goes away or the process stops
   */
  wait(poll: BundlePoll): Promise<IssuedBundle | null> {
    if (this.#closed) return Promise.reject(stopping());
    this.#listen();
    const { tenantId } = poll;
    let polls = this.#tenants.get(tenantId);
    if (polls === undefined) {
      polls = new TenantPolls(this.tools, tenantId, this.#log, () => this.#tenants.delete(tenantId));
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
    const { db } = this.tools;
    const each = (tenantId: string | null, tell: (polls: TenantPolls) => void): void => {
      for (const [id, polls] of this.#tenants) if (tenantId === null || tenantId === id) tell(polls);
    };
    this.#hints ??= [
      db.listen(SPEAKERS_CHANNEL, (tenantId) => each(tenantId, (polls) => polls.hint())),
      db.listen(KEYS_CHANNEL, (tenantId) => each(tenantId, (polls) => void polls.checkKeys())),
    ];
  }
}

function stopping(): Problem {
  return new Problem('shutting_down', 'The service is stopping. Try again in a moment.', { retryAfter: 2 });
}

/** The polls of one tenant; there is one only as long as somebody waits. */
class TenantPolls {
  readonly #tools: BundleTools;
  readonly #tenantId: string;
  readonly #log: FastifyBaseLogger;
  readonly #onIdle: () => void;
  readonly #waiters = new Set<Waiter>();
  #isHinted = false;
  #wake: () => void = () => undefined;
  #isRunning = false;

  constructor(tools: BundleTools, tenantId: string, log: FastifyBaseLogger, onIdle: () => void) {
    this.#tools = tools;
    this.#tenantId = tenantId;
    this.#log = log;
    this.#onIdle = onIdle;
  }

  add(poll: BundlePoll): Promise<IssuedBundle | null> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + poll.waitSeconds * 1_000;
      this.#waiters.add({ ...poll, until, isSeen: false, resolve, reject });
      this.#wake();
      if (!this.#isRunning) void this.#run();
    });
  }

  /** What speakers are to run may have changed. */
  hint(): void {
    this.#isHinted = true;
    this.#wake();
  }

  end(error: unknown): void {
    for (const waiter of this.#waiters) this.#settle(waiter, () => waiter.reject(error));
    this.#wake();
  }

  /** Ends the polls whose key is not good any more. */
  async checkKeys(among: Iterable<Waiter> = this.#waiters): Promise<void> {
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
      if (isDue) lookedAt = now;
      const asked = [...this.#waiters].filter(({ isSeen, until }) => isDue || !isSeen || until <= now);
      try {
        await this.#look(asked);
        if (performance.now() - checkedAt >= KEYS_MILLISECONDS) {
          checkedAt = performance.now();
          await this.#checkLostKeys();
        }
      } catch (error) {
        this.#log.warn({ err: error, tenant_id: this.#tenantId }, 'Bundles for nodes could not be prepared');
        this.end(error);
      }
      await this.#pause();
    }
    this.#isRunning = false;
    this.#onIdle();
  }

  async #look(asked: readonly Waiter[]): Promise<void> {
    if (asked.length === 0) return;
    const ids = [...new Set(asked.map(({ speakerId }) => speakerId))];
    for await (const { speakerIds, bundles } of latestBundles(this.#tools, this.#tenantId, ids)) {
      const some = new Set(speakerIds);
      for (const waiter of asked.filter(({ speakerId }) => some.has(speakerId))) {
        waiter.isSeen = true;
        const bundle = bundles.get(waiter.speakerId) ?? null;
        const isNews = bundle !== null && !waiter.has(bundleTag(bundle));
        if (isNews || waiter.until <= performance.now()) this.#settle(waiter, () => waiter.resolve(bundle));
      }
    }
  }

  /** One question for all: asking for each would be a thousand a second for a thousand nodes. */
  async #checkLostKeys(): Promise<void> {
    const ids = [...new Set(Array.from(this.#waiters, ({ keyId }) => keyId))];
    if (ids.length === 0) return;
    const lost = await this.#tools.db.inTenant(this.#tenantId, (tx) => listLostKeys(tx, ids));
    if (lost.length > 0) await this.checkKeys([...this.#waiters].filter(({ keyId }) => lost.includes(keyId)));
  }

  #settle(waiter: Waiter, tell: () => void): void {
    if (this.#waiters.delete(waiter)) tell();
  }

  /** Until somebody new comes, a hint, the next look at the keys, or the end of a wait. */
  #pause(): Promise<void> {
    const unseen = [...this.#waiters].some(({ isSeen }) => !isSeen);
    if (this.#isHinted || unseen || this.#waiters.size === 0) return Promise.resolve();
    const ends = Array.from(this.#waiters, ({ until }) => until).reduce((a, b) => Math.min(a, b));
    const milliseconds = Math.min(KEYS_MILLISECONDS, ends - performance.now());
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, milliseconds));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
