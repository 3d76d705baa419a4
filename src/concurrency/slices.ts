/** Long work on the event loop, in slices: between two of them other events are handled. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Length of a slice; concurrent slices add up. */
const SLICE_MS = 2;
/** Items between two looks at the clock. */
const LOOK = 32;

/** The longest rest after work that waits for the database: what took longer kept nobody from the event loop meanwhile. */
export const WAITING_WORK_MS = 25;

/**
 * Waits as long as the work took, and no longer than `most` milliseconds. Another request takes a dozen steps, between which it waits for the database
 * for a fraction of a millisecond: without a rest each of these steps would wait for a slice.
 */
export function rest(since: number, most = Infinity): Promise<void> {
  return sleep(Math.min(most, Math.max(1, Math.round(performance.now() - since))));
}

/** `items.map(work)`, in slices of some milliseconds, with a rest after each. Short lists are processed at once. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (let index = 0; index < items.length; index++) {
    if (index % LOOK === LOOK - 1 && performance.now() - began > SLICE_MS) {
      await rest(began);
      began = performance.now();
    }
    results.push(work(items[index]!, index));
  }
  return results;
}
