/**
 * Shares places among tenants, such as the connections of a pool: a tenant that floods the service, or whose requests wait for each other's
 * locks, delays only itself. A tenant without a place gets the next free one; a tenant with some gets another only while some stay free for
 * the others, and never more than its share. Waiting tenants are served in turn.
 */
import { Problem } from '../../api/problems/problem.ts';

export interface TurnLimits {
  /** Places of all tenants together. */
  readonly places: number;
  /** How many of them stay free for tenants that have fewer. */
  readonly reserved: number;
  /** How many places one tenant may have while this many tenants are present, including itself. */
  readonly share: (present: number) => number;
  /** Requests of one tenant that may wait. */
  readonly maximumWaiting: number;
  readonly maximumWaitMs: number;
}

interface Tenant {
  held: number;
  /** When it last returned a place. */
  leftAt: number;
  readonly waiting: Set<PromiseWithResolvers<void>>;
}

/** A tenant counts as present this long after it returned its last place: a client pauses between two requests. */
const PRESENT_MS = 1_000;
/** Milliseconds between checks who has left: otherwise each request would check all tenants. */
const LOOK_MS = 50;

export class TenantTurns {
  readonly #limits: TurnLimits;
  readonly #now: () => number;
  /** Tenants that have, want, or just had a place; the next in turn is first. */
  readonly #tenants = new Map<string, Tenant>();
  #held = 0;
  #waiting = 0;
  #lookedAt = -Infinity;

  /** @param now monotonic milliseconds */
  constructor(limits: TurnLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Waiting requests of all tenants. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many tenants have, want, or just had a place. */
  get present(): number {
    this.#forgetThoseWhoLeft();
    return this.#tenants.size;
  }

  /** Whether a request of the tenant waits. */
  isWaiting(tenantId: string): boolean {
    return (this.#tenants.get(tenantId)?.waiting.size ?? 0) > 0;
  }

  /** Whether a request of the tenant waits while others are present. */
  isContended(tenantId: string): boolean {
    return this.#tenants.size > 1 && this.isWaiting(tenantId);
  }

  /**
   * Waits for a place of the tenant; {@link giveBack} must follow.
   * @returns null: it is available at once
   * @throws {Problem} `rate_limited` when too many of the tenant wait, `busy` when it took too long
   */
  take(tenantId: string): Promise<void> | null {
    const tenant = this.#tenants.get(tenantId) ?? this.#enter(tenantId);
    if (tenant.waiting.size === 0 && this.#mayTake(tenant)) {
      this.#grant(tenant);
      return null;
    }
    return this.#wait(tenant);
  }

  giveBack(tenantId: string): void {
    const tenant = this.#tenants.get(tenantId)!;
    tenant.held--;
    tenant.leftAt = this.#now();
    this.#held--;
    if (this.#waiting > 0) this.#serve();
  }

  /** Does the work in a place of the tenant. @throws {Problem} as {@link take} */
  async inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const turn = this.take(tenantId);
    if (turn !== null) await turn;
    try {
      return await work();
    } finally {
      this.giveBack(tenantId);
    }
  }

  #enter(tenantId: string): Tenant {
    this.#forgetThoseWhoLeft();
    const tenant: Tenant = { held: 0, leftAt: this.#now(), waiting: new Set() };
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }

  #forgetThoseWhoLeft(): void {
    const now = this.#now();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const gone = now - PRESENT_MS;
    for (const [id, { held, leftAt, waiting }] of this.#tenants)
      if (held === 0 && waiting.size === 0 && leftAt < gone) this.#tenants.delete(id);
  }

  #mayTake({ held }: Tenant): boolean {
    const free = this.#limits.places - this.#held;
    if (held === 0) return free > 0;
    return free > Math.min(held, this.#limits.reserved) && held < this.#share();
  }

  #share(): number {
    if (this.#tenants.size > 1) this.#forgetThoseWhoLeft();
    return this.#limits.share(this.#tenants.size);
  }

  #grant(tenant: Tenant): void {
    tenant.held++;
    this.#held++;
  }

  #wait(tenant: Tenant): Promise<void> {
    const { maximumWaiting, maximumWaitMs } = this.#limits;
    if (tenant.waiting.size >= maximumWaiting)
      throw new Problem(
        'rate_limited',
        `${maximumWaiting} requests of the tenant wait for each other already. Send fewer at once, and try again in a moment.`,
        { retryAfter: 1 },
      );
    const turn = Promise.withResolvers<void>();
    tenant.waiting.add(turn);
    this.#waiting++;
    const timer = setTimeout(() => {
      this.#leaveQueue(tenant, turn);
      turn.reject(
        new Problem(
          'busy',
          `Requests of the tenant that came before kept this one waiting for ${maximumWaitMs / 1000} s. Nothing was changed; send fewer at once, and try again.`,
          { retryAfter: 2 },
        ),
      );
    }, maximumWaitMs);
    return turn.promise.finally(() => clearTimeout(timer));
  }

  #leaveQueue(tenant: Tenant, turn: PromiseWithResolvers<void>): void {
    if (tenant.waiting.delete(turn)) this.#waiting--;
  }

  /** One for each tenant that may have one, then one more, until no more are available. */
  #serve(): void {
    for (let hasGiven = true; hasGiven && this.#waiting > 0;) {
      hasGiven = false;
      for (const [id, tenant] of [...this.#tenants]) {
        const [turn] = tenant.waiting;
        if (turn === undefined || !this.#mayTake(tenant)) continue;
        this.#leaveQueue(tenant, turn);
        this.#grant(tenant);
        turn.resolve();
        // To the end of the line.
        this.#tenants.delete(id);
        this.#tenants.set(id, tenant);
        hasGiven = true;
      }
    }
  }
}
