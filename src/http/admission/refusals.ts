/**
 * Holds refusals back. To refuse a request takes about as long as to serve a small one, and a client that is refused often asks again at
 * once: a thousand connections of one took the whole event loop. A tenant that was refused often in this second gets the answer two seconds later,
 * and one answer at a time: those that come together would come back together, and hold everybody up for as long as all of them take.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GroupCounts } from '../../concurrency/group-counts.ts';
import { SerialQueue } from '../../concurrency/serial-queue.ts';

/** Refusals of a tenant in a second that are answered at once. */
const AT_ONCE = 50;
const HELD_MS = 2_000;
/** Between two answers that were held back. */
const GAP_MS = 10;
/** Refusals of a tenant that are held back at a time: each keeps a connection. */
const HELD_AT_MOST = 5_000;

export class Refusals {
  #second = -Infinity;
  /** In this second, by tenant. */
  #refused = new GroupCounts();
  readonly #held = new GroupCounts();
  /** Of each tenant that has refusals held back. */
  readonly #queues = new Map<string, SerialQueue>();
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
    await this.#queueOf(tenantId).run(() => sleep(GAP_MS, undefined, { ref: false }));
    this.#held.add(tenantId, -1);
    if (this.#held.of(tenantId) === 0) this.#queues.delete(tenantId);
  }

  #queueOf(tenantId: string): SerialQueue {
    const known = this.#queues.get(tenantId);
    if (known !== undefined) return known;
    const queue = new SerialQueue();
    this.#queues.set(tenantId, queue);
    return queue;
  }
}
