/**
 * Where keys, and tokens of feeds, that the process does not know are looked up when they come from an address that sent many wrong ones. One of them is looked up at a
 * time, and addresses take turns: guessing costs no more than that, however fast it is and from however many addresses. A good key comes
 * through, a moment later, since many clients may stand behind one address.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../api/problems/problem.ts';
import { GroupCounts } from '../../concurrency/group-counts.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';

/** Requests of one address that may wait here. */
const WAITING = 100;
/** A wrong key keeps the next one waiting for so long, so that there are a hundred look-ups a second at most. */
const AFTER_WRONG_MS = 10;

export class SuspectKeys {
  readonly #turns = new Semaphore(1);
  readonly #waiting = new GroupCounts();

  /**
   * Looks a key up when it is the turn of its address.
   * @param isGood whether what was found is a good key
   * @throws {Problem} `rate_limited` when too many of the address wait
   */
  async lookUp<T>(address: string, find: () => Promise<T>, isGood: (found: T) => boolean): Promise<T> {
    if (this.#waiting.of(address) >= WAITING)
      throw new Problem(
        'rate_limited',
        `Too many keys or tokens from this address were wrong, and ${WAITING} more wait to be looked up. Look at yours, and try again in a moment.`,
        { retryAfter: 1 },
      );
    this.#waiting.add(address, 1);
    try {
      return await this.#turns.run(async () => {
        const found = await find();
        if (!isGood(found)) await sleep(AFTER_WRONG_MS);
        return found;
      }, address);
    } finally {
      this.#waiting.add(address, -1);
    }
  }
}
