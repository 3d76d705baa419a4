import { expect, test } from 'vitest';
import { Pace } from '../../src/concurrency/pace.ts';

test('a group takes what it may at once, then waits for as much as it wants, and takes nothing meanwhile', () => {
  let now = 0;
  const pace = new Pace({ atOnce: 8, perSecond: 2 }, () => now);
  expect(pace.tryToTake('loud', 8)).toBe(0);
  expect(pace.tryToTake('loud', 1)).toBe(500);
  expect(pace.tryToTake('loud', 3)).toBe(1_500);
  expect(pace.tryToTake('quiet', 1)).toBe(0);
  now = 500;
  expect(pace.tryToTake('loud', 1)).toBe(0);
  expect(pace.tryToTake('loud', 1)).toBe(500);
  // Nobody saves up more than that.
  now = 60_000;
  expect(pace.tryToTake('loud', 9)).toBe(500);
  expect(pace.tryToTake('loud', 8)).toBe(0);
});
