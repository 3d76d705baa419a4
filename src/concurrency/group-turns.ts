import { GroupQueue } from './groups.ts';

/** Lets so many at once do something; those who wait for their turn are served group by group. */
export class GroupTurns {
  readonly #waiting = new GroupQueue<() => void>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(group: string, work: () => Promise<T>): Promise<T> {
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
