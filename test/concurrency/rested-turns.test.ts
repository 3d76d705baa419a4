import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RestedTurns } from '../../src/concurrency/rested-turns.ts';

/** Keeps the event loop for some milliseconds, as work does. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a group has one turn at a time, and rests after it for as long as that took', async () => {
  const turns = new RestedTurns();
  const spans: { readonly from: number; readonly to: number }[] = [];
  const turn = (): Promise<void> =>
    turns.run('loud', async () => {
      const from = performance.now();
      work(4);
      await sleep(1); // the turn is no work alone
      spans.push({ from, to: performance.now() });
    });
  await Promise.all(Array.from({ length: 8 }, turn));
  expect(spans).toHaveLength(8);
  for (const [index, { from }] of spans.entries()) {
    const before = spans[index - 1];
    if (before === undefined) continue;
    // A timer may be a millisecond early.
    expect(from - before.to).toBeGreaterThanOrEqual(Math.min(before.to - before.from, 25) - 1);
  }
});

test('other groups wait for none of it', async () => {
  const turns = new RestedTurns();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const loud = [1, 2, 3].map(() => turns.run('loud', () => held));
  expect(await turns.run('quiet', () => Promise.resolve('served'))).toBe('served');
  release();
  await Promise.all(loud);
});

test('a turn that fails is followed by the next', async () => {
  const turns = new RestedTurns();
  const failed = turns.run('a', () => Promise.reject(new Error('a fault')));
  const next = turns.run('a', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('a fault');
  expect(await next).toBe('next');
});
