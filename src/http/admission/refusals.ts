/**
 * Holds refusals back. To refuse a request takes about as long as to serve a small one, and a client that is refused often asks again at
 * once: a thousand connections of one took the whole event loop. A tenant that was refused often in this second gets the answer two seconds later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GroupCounts } from '../../concurrency/group-counts.ts';

/** Refusals of a tenant in a second that are answered at once. */
const AT_ONCE = 50;
const HELD_MS = 2_000;
/** Refusals of a tenant that are held back at a time: each keeps a connection. */
const HELD_AT_MOST = 5_000;

export class Refusals {
  #second = -Infinity;
  /** In this second, by tenant. */
  #refused = new GroupCounts();
  readonly #held = new GroupCounts();
  readonly #heldMs: number;

  constructor(heldMs = HELD_MS) {
    this.#heldMs = heldMs;
  }

  /** Waits until a refusal may be sent to the tenant. */
  async hold(tenantId: string): Promise<void> {
    const now = performance.now();
    if (now - this.#second >= 1_000) {
      this.#second = now;
      this.#refused = new GroupCounts();
    }
    this.#refused.add(tenantId, 1);
    if (this.#refused.of(tenantId) <= AT_ONCE || this.#held.of(tenantId) >= HELD_AT_MOST) return;
    this.#held.add(tenantId, 1);
    await sleep(this.#heldMs, undefined, { ref: false });
    this.#held.add(tenantId, -1);
  }
}
