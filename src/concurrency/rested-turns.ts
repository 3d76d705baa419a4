import { GroupPlaces } from './group-places.ts';
import { rest, WAITING_WORK_MS } from './slices.ts';

/**
 * Turns of which each group has one at a time, followed by a rest as long as it took: however much work a group has, half of the time is left to
 * the others. Whoever comes after the rest waits for nothing.
 */
export class RestedTurns {
  readonly #places = new GroupPlaces({ inAll: Infinity, ofGroup: 1, reserved: 0 });

  /** Resolves or rejects as `work` does, at once when that has ended. */
  async run<T>(group: string, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.#places.take(group);
    const began = performance.now();
    try {
      return await work();
    } finally {
      // Nobody who ends waits for the rest.
      void rest(began, WAITING_WORK_MS).then(giveBack);
    }
  }
}
