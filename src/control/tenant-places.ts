/**
 * Limits the work of a process, and each tenant to a share of it: a tenant that fills its own places leaves the others theirs. A quarter of
 * all is for tenants that have none yet, so that a few busy ones do not keep everybody out.
 */
import { Problem } from '../api/problems/problem.ts';
import { GroupCounts } from '../concurrency/group-counts.ts';

export interface Places {
  readonly inAll: number;
  readonly ofTenant: number;
  /** What is done, for a person: `imports are running`. */
  readonly what: string;
  readonly retryAfter: number;
}

export class TenantPlaces {
  readonly #places: Places;
  readonly #running = new GroupCounts();

  constructor(places: Places) {
    this.#places = places;
  }

  /**
   * Does the work in a place of the tenant.
   * @throws {Problem} `rate_limited` when no place is free
   */
  async take<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    this.requireOne(tenantId);
    this.#running.add(tenantId, 1);
    try {
      return await work();
    } finally {
      this.#running.add(tenantId, -1);
    }
  }

  /** @throws {Problem} `rate_limited` when no place is free now, so that the body of such a request is not read. */
  requireOne(tenantId: string): void {
    const { inAll, ofTenant, what, retryAfter } = this.#places;
    const own = this.#running.of(tenantId);
    if (own >= ofTenant)
      throw new Problem(
        'rate_limited',
        `${own} ${what} for the tenant already, which is the most. Try again in a moment.`,
        { retryAfter },
      );
    const all = this.#running.total;
    const kept = own === 0 ? 0 : Math.ceil(inAll / 4);
    if (all >= inAll - kept)
      throw new Problem('rate_limited', `${all} ${what} already. Try again in a moment.`, { retryAfter });
  }
}
