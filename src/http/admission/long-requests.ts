/**
 * Where long requests of a tenant wait for each other: searches that no index may serve, pages and bodies of thousands. Each keeps a process of
 * the database server busy as long as it takes, and the event loop with what it reads and has found. While others are present there is one of a
 * tenant at a time, and the next begins after a rest of twice what the last one took, if it waits already. The door does not see to that: whoever
 * waits here takes long, and has lost its place there.
 *
 * Some take little themselves, and the process and its database work for them afterwards: after those the rest is at least so long.
 */
import { type Door, REST } from './door.ts';
import { TenantTurns } from '../../store/database/tenant-turns.ts';

/** Two of one tenant at once keep both processors of a small machine busy. */
const ALONE = 4;
const REST_MS = 1_000;

export class LongRequests {
  readonly #door: Door;
  readonly #turns: TenantTurns;

  constructor(door: Door) {
    this.#door = door;
    this.#turns = new TenantTurns({
      ...{ places: Infinity, reserved: 0, maximumWaiting: 200, maximumWaitMs: 30_000 },
      share: () => (door.isShared ? 1 : ALONE),
    });
  }

  /**
   * Does the work when it is the turn of the tenant.
   * @param aftermathMs how long what follows from it takes
   * @throws {Problem} `rate_limited` when too many wait, `busy` when it took too long
   */
  async inTurn<T>(tenantId: string, work: () => Promise<T>, aftermathMs = 0): Promise<T> {
    const turn = this.#turns.take(tenantId);
    if (turn !== null) await turn;
    const began = performance.now();
    try {
      return await work();
    } finally {
      const took = performance.now() - began;
      const leave = (): void => this.#turns.giveBack(tenantId);
      if (this.#door.isShared && this.#turns.isWaiting(tenantId))
        setTimeout(leave, Math.min(REST * (took + aftermathMs), REST_MS));
      else leave();
    }
  }
}
