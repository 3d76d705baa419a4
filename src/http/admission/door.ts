/**
 * Where requests wait before any work is done for them. While requests of several tenants come, one of each tenant begins at a time, whatever
 * the number of its keys and connections: what a request of another tenant waits for, at each step, is that one and not all that somebody
 * sends at once. The next one of the tenant that has taken most of late begins only after a rest of twice what the last one took, so that two
 * thirds of the time are left to others; who takes less than somebody else need not rest. One that takes long, since it waits for a lock or for a thread,
 * keeps the next of its tenant for a moment only; how many of these there are is bounded where they wait. A tenant that is alone waits
 * for itself only.
 *
 * Requests without a key have a door of their own, by the network that they come from, since there may always be tenants beside them.
 *
 * Bodies arrive before, and answers that wait or go on (`wait=30`, streams) do so afterwards, without a place.
 */
import { RecentTimes } from './recent-times.ts';
import { TenantTurns } from '../../store/database/tenant-turns.ts';

/** Requests of a tenant while no other is here: as many as share one look at the database with profit. */
const ALONE = 64;
/** Requests of one tenant that may wait here. */
const WAITING = 1_000;
/** A request that takes longer than this waits for something else than the event loop. */
const SLOW_MS = 25;
/** How many times as long a rest is as what it follows. */
export const REST = 2;
/** How often it is looked which are slow, as long as somebody waits: a timer for each request costs more than all else that happens here. */
const LOOK_MS = 10;

/** A request that is at work. */
interface Visit {
  readonly tenantId: string;
  readonly since: number;
  hasPlace: boolean;
}

export class Door {
  readonly #alone: number;
  readonly #turns: TenantTurns;
  readonly #visits = new Set<Visit>();
  readonly #taken = new RecentTimes();
  #isLooking = false;

  /** @param alone requests of somebody who is alone; 1: whoever comes here is never alone */
  constructor(alone = ALONE) {
    this.#alone = alone;
    this.#turns = new TenantTurns({
      places: Infinity,
      reserved: 0,
      share: (present) => (present === 1 ? alone : 1),
      maximumWaiting: WAITING,
      maximumWaitMs: 10_000,
    });
  }

  /** Whether requests of several tenants come. */
  get isShared(): boolean {
    return this.#turns.present > 1;
  }

  /**
   * Does the work of a request when it is the turn of its tenant.
   * @throws {Problem} `rate_limited` when too many of the tenant wait, `busy` when it took too long
   */
  async enter<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.take(tenantId);
    if (turn !== null) {
      this.#look();
      await turn;
    }
    const visit: Visit = { tenantId, since: performance.now(), hasPlace: true };
    this.#visits.add(visit);
    try {
      return await work();
    } finally {
      this.#visits.delete(visit);
      this.#leave(visit);
    }
  }

  #leave(visit: Visit): void {
    const took = performance.now() - visit.since;
    const { tenantId } = visit;
    this.#taken.add(tenantId, Math.min(took, SLOW_MS));
    const keepsWaiting =
      this.#alone === 1 ? this.#turns.isWaiting(tenantId) : this.#turns.isContended(tenantId);
    const isFree = took < 1 || !visit.hasPlace || !keepsWaiting;
    if (isFree || !this.#taken.isMost(tenantId)) this.#giveBack(visit);
    else setTimeout(() => this.#giveBack(visit), REST * Math.min(took, SLOW_MS));
  }

  /** Checks for slow requests until none waits. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => {
      this.#isLooking = false;
      const slow = performance.now() - SLOW_MS;
      for (const visit of this.#visits) if (visit.since <= slow) this.#giveBack(visit);
      if (this.#turns.waiting > 0) this.#look();
    }, LOOK_MS);
  }

  #giveBack(visit: Visit): void {
    if (visit.hasPlace) this.#turns.giveBack(visit.tenantId);
    visit.hasPlace = false;
  }
}
