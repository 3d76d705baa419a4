/** Sends what waits in an outbox: each item at least once, those of one receiver in order, however often receivers and processes fail. */
import { randomUUID } from 'node:crypto';
import { pauseAfter } from '../../concurrency/backoff.ts';
import { WakeableLoop } from '../../concurrency/wakeable-loop.ts';
import type { DeliveryHolder } from '../../store/delivery-turns.ts';
import type { PostAnswer } from './post.ts';

/** A receiver that this process serves for a while. */
export interface OutboxClaim {
  /** Attempts that have failed one after the other. */
  readonly failures: number;
}

/** What is delivered: where it waits, and how it is sent. */
export interface Outbox<Claim extends OutboxClaim, Item> {
  /** Claims waiting receivers that no process serves; `busy` are those that this process serves. */
  claim(holder: DeliveryHolder, busy: readonly Claim[], limit: number): Promise<readonly Claim[]>;
  /** The next items of the receiver, in order. */
  next(claim: Claim, holder: DeliveryHolder): Promise<readonly Item[]>;
  /** Never rejects, but with the signal's reason when it aborts. */
  send(claim: Claim, item: Item, signal: AbortSignal): Promise<PostAnswer>;
  /**
   * Writes down that the receiver has the item, or never wants it.
   * @returns false when somebody else serves the receiver by now, or it is gone: then stop
   */
  settle(
    holder: DeliveryHolder,
    claim: Claim,
    item: Item,
    answer: Exclude<PostAnswer, { kind: 'failed' }>,
  ): Promise<boolean>;
  /** Ends the turn after a failure: there is no retry before `seconds` have passed. */
  postpone(
    holder: DeliveryHolder,
    claim: Claim,
    item: Item,
    failure: { readonly seconds: number; readonly answer: PostAnswer & { kind: 'failed' } },
  ): Promise<void>;
  /** Ends the turn, so that anybody may have the next at once. */
  release(holder: DeliveryHolder, claim: Claim): Promise<void>;
}

export interface OutboxDeliveryOptions<Claim extends OutboxClaim, Item> {
  readonly outbox: Outbox<Claim, Item>;
  /** What the log keeps of a turn that broke off; null: of a look at who waits. */
  readonly onFault: (claim: Claim | null, error: unknown) => void;
  /** Receivers that this process serves at the same time: one that is slow holds up no other while there are places. */
  readonly places: number;
  /** A turn ends after the item during which this time passed, so that slow receivers with much to take keep no place from others. */
  readonly turnMs?: number;
  /** How often it looks for what it was not hinted at. */
  readonly pollMs: number;
  /** No hint makes it look sooner after the last look. */
  readonly leastMs?: number;
  /** Longer than the receiver may take for an item, or another process takes over. */
  readonly leaseSeconds: number;
  readonly longestDelaySeconds: number;
}

const TURN_MS = 15_000;

export class OutboxDelivery<Claim extends OutboxClaim, Item> {
  readonly #options: OutboxDeliveryOptions<Claim, Item>;
  readonly #holder: DeliveryHolder;
  readonly #closing = new AbortController();
  readonly #serving = new Map<Claim, Promise<void>>();
  /** When receivers that failed are due again, in milliseconds of the steady clock. */
  readonly #retries = new Set<number>();
  readonly #loop: WakeableLoop;
  readonly #running: Promise<void>;

  /** Begins at once. */
  constructor(options: OutboxDeliveryOptions<Claim, Item>) {
    this.#options = options;
    this.#holder = { id: randomUUID(), seconds: options.leaseSeconds };
    this.#loop = new WakeableLoop({
      work: () => this.#look(),
      pause: () => this.#untilNext(),
      least: options.leastMs ?? 0,
      onFault: (error) => options.onFault(null, error),
    });
    this.#running = this.#loop.run(this.#closing.signal);
  }

  /** Something was put into the outbox. */
  hint(): void {
    this.#loop.hint();
  }

  /** An item that is on its way may arrive once more with the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await Promise.all(this.#serving.values());
  }

  async #look(): Promise<void> {
    const { outbox, places } = this.#options;
    const free = places - this.#serving.size;
    if (free === 0) return; // a delivery that ends sends a hint
    const claims = await outbox.claim(this.#holder, [...this.#serving.keys()], free);
    for (const claim of claims) this.#serving.set(claim, this.#begin(claim));
  }

  async #begin(claim: Claim): Promise<void> {
    try {
      await this.#serve(claim);
      this.#loop.hint();
    } catch (error) {
      // No hint: a database that is away would be asked without a pause.
      if (!this.#closing.signal.aborted) this.#options.onFault(claim, error);
    } finally {
      this.#serving.delete(claim);
    }
  }

  async #serve(claim: Claim): Promise<void> {
    const { outbox, longestDelaySeconds, turnMs = TURN_MS } = this.#options;
    const holder = this.#holder;
    const end = performance.now() + turnMs;
    let done = 0;
    for (const item of await outbox.next(claim, holder)) {
      const answer = await outbox.send(claim, item, this.#closing.signal).catch(() => null);
      if (answer === null) break; // this process stops
      if (answer.kind === 'failed') {
        const pause = pauseAfter(done > 0 ? 0 : claim.failures, 1, longestDelaySeconds);
        const seconds = Math.max(answer.retryAfter, pause);
        await outbox.postpone(holder, claim, item, { seconds, answer });
        this.#retries.add(performance.now() + seconds * 1_000);
        return;
      }
      if (!(await outbox.settle(holder, claim, item, answer))) return;
      done++;
      if (performance.now() >= end) break;
    }
    await outbox.release(holder, claim);
  }

  /** Until the first of those that failed is due, or the next look by the clock; in milliseconds. */
  #untilNext(): number {
    const now = performance.now();
    let next = now + this.#options.pollMs;
    for (const due of this.#retries) {
      if (due <= now) this.#retries.delete(due);
      else next = Math.min(next, due);
    }
    return next - now;
  }
}
