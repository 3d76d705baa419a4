/** Long work that has to be done on the event loop, in slices: between two of them it does what else has come. */
import { setImmediate as othersHaveBeenServed } from 'node:timers/promises';

/** Length of a slice; several that are at work add up. */
const SLICE_MS = 5;
/** How many items are done between two looks at the clock. */
const LOOK = 64;

/** `items.map(work)`, in slices of some milliseconds. Short lists are done at once. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (let index = 0; index < items.length; index++) {
    if (index % LOOK === LOOK - 1 && performance.now() - began > SLICE_MS) {
      await othersHaveBeenServed();
      began = performance.now();
    }
    results.push(work(items[index]!, index));
  }
  return results;
}
