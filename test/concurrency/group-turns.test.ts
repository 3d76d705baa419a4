import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { GroupTurns } from '../../src/concurrency/group-turns.ts';

test('so many at once, and whoever waits is served group by group', async () => {
  const turns = new GroupTurns(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const all: Promise<void>[] = [];
  const come = (group: string): void => {
    const work = (): Promise<void> => {
      begun.push(group);
      return new Promise((resolve) => ends.push(resolve));
    };
    all.push(turns.take(group, work));
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
  const turns = new GroupTurns(1);
  const failed = turns.take('a', () => Promise.reject(new Error('no')));
  const next = turns.take('b', () => Promise.resolve('on'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('on');
});
