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

test('what fails ends the rest', async () => {
  const seen: number[] = [];
  const failing = mapInSlices(items, (item) => {
    seen.push(item);
    if (item === 10) throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(seen).toHaveLength(11);
});
