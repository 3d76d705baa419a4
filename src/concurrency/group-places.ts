import { GroupCounts } from './group-counts.ts';
import { GroupQueue } from './groups.ts';

export interface PlaceLimits {
  readonly inAll: number;
  readonly ofGroup: number;
  /** How many of all are for groups that have none yet. */
  readonly reserved: number;
}

/**
 * Places for what takes much of a process: a group has a share of them, however much it asks for. Whoever finds none free waits, and groups
 * take turns.
 */
export class GroupPlaces {
  readonly #limits: PlaceLimits;
  readonly #taken = new GroupCounts();
  readonly #waiting = new GroupQueue<() => void>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken.total;
  }

  /** Places that the group has. */
  takenBy(group: string): number {
    return this.#taken.of(group);
  }

  /** What keeps the group from a place now: that it has its share, or that no place is free for it. Null: nothing. */
  conflict(group: string): 'share' | 'all' | null {
    const { inAll, ofGroup, reserved } = this.#limits;
    const own = this.#taken.of(group);
    if (own >= ofGroup) return 'share';
    return this.#taken.total < inAll - (own === 0 ? 0 : reserved) ? null : 'all';
  }

  /** Takes a place without waiting. @returns what gives it back, once; null: none is free for the group */
  tryTake(group: string): (() => void) | null {
    return this.conflict(group) === null ? this.#grant(group) : null;
  }

  /**
   * Waits for a place.
   * @returns what gives it back, once
   * @throws the signal's reason when it aborts before
   */
  async take(group: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const taken = this.tryTake(group);
    if (taken !== null) return taken;
    await this.#wait(group, signal);
    return this.#release(group);
  }

  #grant(group: string): () => void {
    this.#taken.add(group, 1);
    return this.#release(group);
  }

  #release(group: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#taken.add(group, -1);
      this.#serve();
    };
  }

  async #wait(group: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.remove(group, resolve);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort);
    this.#waiting.add(group, resolve);
    await promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  #serve(): void {
    const may = (group: string): boolean => this.conflict(group) === null;
    for (let next = this.#waiting.next(may); next !== null; next = this.#waiting.next(may)) {
      this.#taken.add(next.group, 1);
      next.waiting();
    }
  }
}
