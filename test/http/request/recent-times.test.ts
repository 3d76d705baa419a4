import { expect, test } from 'vitest';
import { RecentTimes } from '../../../src/http/admission/recent-times.ts';

test('what lies a second back counts half, and is forgotten in the end', () => {
  let now = 0;
  const times = new RecentTimes(() => now);
  times.add('early', 100);
  now = 1_000;
  times.add('late', 60);
  expect([times.isMost('early'), times.isMost('late'), times.isMost('nobody')]).toEqual([false, true, false]);
  times.add('early', 20);
  expect([times.isMost('early'), times.isMost('late')]).toEqual([true, false]);
  now = 60_000;
  times.add('new', 1);
  expect(times.isMost('new')).toBe(true);
});
