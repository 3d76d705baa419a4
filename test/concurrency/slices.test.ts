import { expect, test } from 'vitest';
import { mapInSlices } from '../../src/concurrency/slices.ts';

const items = Array.from({ length: 1_000 }, (_, index) => index);

/** Keeps the event loop for a tenth of a millisecond. */
function work(item: number): number {
  const end = performance.now() + 0.1;
  while (performance.now() < end);
  return item * 2;
}

test('long work lets others have their turn, and answers in order', async () => {
  let [done, turns, isOver] = [0, 0, false];
  const look = (): void => {
    turns++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const results = await mapInSlices(items, (item) => {
    done++;
    return work(item);
  });
  isOver = true;
  expect(done).toBe(items.length);
  expect(results).toEqual(items.map((item) => item * 2));
  // A hundred milliseconds of work.
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('works of which several are done at once leave half of the time as well', async () => {
  let worked = 0;
  const timed = (item: number): void => {
    const began = performance.now();
    work(item);
    worked += performance.now() - began;
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => mapInSlices(items, timed)));
  // The first slice of each begins without a rest.
  expect((performance.now() - began) / worked).toBeGreaterThan(1.6);
});

test('what follows a slice counts as a part of it', async () => {
  let busy = 0;
  const busyFor = (milliseconds: number): void => {
    const began = performance.now();
    while (performance.now() < began + milliseconds);
    busy += performance.now() - began;
  };
  const began = performance.now();
  // Each slice of a millisecond leaves as much to do behind it, as what is sent of a text does.
  await mapInSlices(items, (item) => {
    busyFor(0.1);
    if (item % 10 === 0) setImmediate(busyFor, 1);
  });
  expect((performance.now() - began) / busy).toBeGreaterThan(1.7);
});

test('a loop that always has something to do keeps no work for ever', async () => {
  let isOver = false;
  const fill = (): void => {
    if (!isOver) setImmediate(fill);
  };
  setImmediate(fill);
  const some = items.slice(0, 200);
  expect(await mapInSlices(some, work)).toEqual(some.map((item) => item * 2));
  isOver = true;
});

test('what fails ends the rest', async () => {
  const seen: number[] = [];
  const failing = mapInSlices(items, (item) => {
    seen.push(item);
    if (item === 10) throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(seen).toHaveLength(11);
});
