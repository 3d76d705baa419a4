/**
 * Limits the work of a process, and each tenant to a share of it: a tenant that fills its own places leaves the others theirs. A quarter of
 * all is for tenants that have none yet, so that a few busy ones do not keep everybody out. Whoever finds none free is refused.
 */
import { Problem } from '../api/problems/problem.ts';
import { GroupPlaces } from '../concurrency/group-places.ts';

export interface Places {
  readonly inAll: number;
  readonly ofTenant: number;
  /** What is done, for a person: `imports are running`. */
  readonly what: string;
  readonly retryAfter: number;
}

export class TenantPlaces {
  readonly #options: Places;
  readonly #places: GroupPlaces;

  constructor(options: Places) {
    const { inAll, ofTenant } = options;
    this.#options = options;
    this.#places = new GroupPlaces({ inAll, ofGroup: ofTenant, reserved: Math.ceil(inAll / 4) });
  }

  /**
   * Does the work in a place of the tenant.
   * @throws {Problem} `rate_limited` when no place is free
   */
  async take<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    this.requireOne(tenantId);
    const giveBack = this.#places.tryTake(tenantId)!;
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  /** @throws {Problem} `rate_limited` when no place is free now, so that the body of such a request is not read. */
  requireOne(tenantId: string): void {
    const conflict = this.#places.conflict(tenantId);
    if (conflict === null) return;
    const { what, retryAfter } = this.#options;
    throw new Problem(
      'rate_limited',
      conflict === 'share'
        ? `${this.#places.takenBy(tenantId)} ${what} for the tenant already, which is the most. Try again in a moment.`
        : `${this.#places.taken} ${what} already. Try again in a moment.`,
      { retryAfter },
    );
  }
}
