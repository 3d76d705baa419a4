import { afterEach, expect, test, vi } from 'vitest';
import { Backoff, pauseAfter } from '../../src/concurrency/backoff.ts';

afterEach(() => vi.restoreAllMocks());

test('pauses double up to the longest, and take between half of their length and all of it', () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  expect([0, 1, 2, 3, 50].map((failures) => pauseAfter(failures, 100, 1_000))).toEqual([
    50, 100, 200, 400, 500,
  ]);
  random.mockReturnValue(1);
  expect([0, 1, 2, 3, 50].map((failures) => pauseAfter(failures, 100, 1_000))).toEqual([
    100, 200, 400, 800, 1_000,
  ]);
});

test('begins with the first pause again after a success', () => {
  vi.spyOn(Math, 'random').mockReturnValue(1);
  const pauses = new Backoff(100, 300);
  expect([pauses.next(), pauses.next(), pauses.next()]).toEqual([100, 200, 300]);
  pauses.reset();
  expect(pauses.next()).toBe(100);
});
