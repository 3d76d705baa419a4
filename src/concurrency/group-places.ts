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

  /**
   * Waits for a place.
   * @returns what gives it back, once
   * @throws the signal's reason when it aborts before
   */
  async take(group: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#mayTake(group)) this.#taken.add(group, 1);
    else await this.#wait(group, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#taken.add(group, -1);
      this.#serve();
    };
  }

  #mayTake(group: string): boolean {
    const { inAll, ofGroup, reserved } = this.#limits;
    const own = this.#taken.of(group);
    return own < ofGroup && this.#taken.total < inAll - (own === 0 ? 0 : reserved);
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
    const may = (group: string): boolean => this.#mayTake(group);
    for (let next = this.#waiting.next(may); next !== null; next = this.#waiting.next(may)) {
      this.#taken.add(next.group, 1);
      next.waiting();
    }
  }
}
