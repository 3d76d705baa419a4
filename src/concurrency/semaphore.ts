import { GroupQueue } from './groups.ts';

/** Limits how many pieces of work run at once; the others wait in the order in which they came, and take turns by group. */
export class Semaphore {
  readonly #waiting = new GroupQueue<() => void>();
  #free: number;

  /** @param atOnce how many may run at once */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves or rejects as `work` does, after its turn. @param group for whom; callers without a group share one */
  async run<T>(work: () => Promise<T>, group = ''): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.add(group, resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.next(() => true);
      if (next === null) this.#free++;
      else next.waiting();
    }
  }
}
