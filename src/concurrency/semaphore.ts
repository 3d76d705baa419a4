import { GroupQueue } from './groups.ts';

/** Lets some pieces of work run at once; the others wait in the order in which they came, and where they come for groups, group by group. */
export class Semaphore {
  readonly #waiting = new GroupQueue<() => void>();
  #free: number;

  /** @param atOnce how many may run at once */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves or rejects as `work` does, once it had its turn. @param group for whom; all who name none are one */
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
