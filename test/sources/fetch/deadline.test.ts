import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadline } from '../../../src/sources/fetch/deadline.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('a deadline does not run while it is paused, and then where it was', async () => {
  const deadline = new Deadline(1_000);
  await vi.advanceTimersByTimeAsync(600);
  const wait = Promise.withResolvers<string>();
  const paused = deadline.whilePaused(wait.promise);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(deadline.signal.aborted).toBe(false);
  wait.resolve('a place');
  expect(await paused).toBe('a place');
  await vi.advanceTimersByTimeAsync(399);
  expect(deadline.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('one that has ended aborts nothing', async () => {
  const deadline = new Deadline(1_000);
  deadline.end();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(deadline.signal.aborted).toBe(false);
});
