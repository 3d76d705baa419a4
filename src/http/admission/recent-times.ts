/** Milliseconds in which what somebody took counts half. */
const HALF_LIFE_MS = 1_000;
/** Nobody is remembered who has taken less than this. */
const FORGOTTEN = 0.1;

/** How long the requests of each tenant took of late: what lies a second back counts half as much as what is now. */
export class RecentTimes {
  readonly #now: () => number;
  readonly #taken = new Map<string, number>();
  #at = -Infinity;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(tenantId: string, milliseconds: number): void {
    this.#age();
    this.#taken.set(tenantId, (this.#taken.get(tenantId) ?? 0) + milliseconds);
  }

  /** Whether nobody else has taken more. */
  isMost(tenantId: string): boolean {
    const own = this.#taken.get(tenantId) ?? 0;
    for (const [other, taken] of this.#taken) if (taken > own && other !== tenantId) return false;
    return true;
  }

  /** All age alike, so that it is done for all at once, and not for each millisecond. */
  #age(): void {
    const now = this.#now();
    const passed = now - this.#at;
    if (passed < HALF_LIFE_MS / 20) return;
    this.#at = now;
    const factor = 0.5 ** (passed / HALF_LIFE_MS);
    for (const [tenantId, taken] of this.#taken) {
      const left = taken * factor;
      if (left < FORGOTTEN) this.#taken.delete(tenantId);
      else this.#taken.set(tenantId, left);
    }
  }
}
