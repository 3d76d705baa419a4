import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Semaphore } from '../../src/concurrency/semaphore.ts';

test('a limited number at once, and whoever waits is served group by group', async () => {
  const turns = new Semaphore(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const all: Promise<void>[] = [];
  const come = (group: string): void => {
    const work = (): Promise<void> => {
      begun.push(group);
      return new Promise((resolve) => ends.push(resolve));
    };
    all.push(turns.run(work, group));
  };
  for (let n = 0; n < 10; n++) come('many');
  come('few');
  come('few');
  expect(begun).toEqual(['many', 'many']);
  while (begun.length < 6) {
    ends.shift()!();
    await turn();
  }
  expect(begun.slice(2)).toEqual(['many', 'few', 'many', 'few']);
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await turn();
  }
  await Promise.all(all);
  expect(begun).toHaveLength(12);
});

test('whoever fails leaves its place to the next', async () => {
  const turns = new Semaphore(1);
  const failed = turns.run(() => Promise.reject(new Error('no')), 'a');
  const next = turns.run(() => Promise.resolve('on'), 'b');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('on');
});

test('whoever names no group is served in the order of coming', async () => {
  const turns = new Semaphore(1);
  const begun: number[] = [];
  const note = (n: number): Promise<void> => {
    begun.push(n);
    return turn();
  };
  await Promise.all([1, 2, 3, 4].map((n) => turns.run(() => note(n))));
  expect(begun).toEqual([1, 2, 3, 4]);
});
