/** Long work on the event loop, in slices: between two of them other events are handled. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Length of a slice. */
const SLICE_MS = 1;
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

/** When the next slice of any work may begin. */
let nextAt = 0;

/** Rests after one slice at most, each as long as the slice: a loop that never has nothing to do keeps no work waiting for ever. */
const MOST_RESTS = 4;

/**
 * Waits until the event loop has had nothing to do for as long as the slice took, and behind the slices that wait already: however much is done at once,
 * half of the event loop's time is left. What follows a slice, as the garbage that it leaves and what is sent of it, is a part of it by that.
 */
export async function restInTurn(since: number): Promise<void> {
  const took = Math.max(1, performance.now() - since);
  const idleBefore = idleTime();
  let missing = took;
  for (let rests = 0; rests < MOST_RESTS && missing >= 0.5; rests++) {
    const now = performance.now();
    const at = Math.max(now + missing, nextAt);
    nextAt = at + 2 * took;
    await sleep(Math.round(at - now));
    missing = took - (idleTime() - idleBefore);
  }
}

/** Milliseconds in which this thread's event loop had nothing to do. */
function idleTime(): number {
  return performance.eventLoopUtilization().idle;
}

/** Rests during long work that is no list of items: asked in between, now and then. */
export class Slices {
  #began = performance.now();

  /** Rests if the last rest is long ago. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began <= SLICE_MS) return;
    await restInTurn(this.#began);
    this.#began = performance.now();
  }
}

/** `items.map(work)`, in slices of some milliseconds, with a rest after each. Short lists are processed at once. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  const slices = new Slices();
  for (let index = 0; index < items.length; index++) {
    if (index % LOOK === LOOK - 1) await slices.pause();
    results.push(work(items[index]!, index));
  }
  return results;
}
