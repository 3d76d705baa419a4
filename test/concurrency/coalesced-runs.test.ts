import { describe, expect, test } from 'vitest';
import { CoalescedRuns } from '../../src/concurrency/coalesced-runs.ts';

/** A reader whose every look is ended by hand, and tells its number. */
function reader() {
  const runs = new CoalescedRuns<number>();
  const looks: PromiseWithResolvers<number>[] = [];
  const read = (what = 'list') =>
    runs.run(what, () => {
      const look = Promise.withResolvers<number>();
      looks.push(look);
      return look.promise;
    });
  return { read, looks };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('CoalescedRuns', () => {
  test('who asks while a look runs shares the next one, never the one that may have missed something', async () => {
    const { read, looks } = reader();
    const first = read();
    const later = [read(), read(), read()];
    await settled();
    expect(looks.length).toBe(1);
    looks[0]!.resolve(1);
    expect(await first).toBe(1);
    await settled();
    expect(looks.length).toBe(2);
    const last = read();
    looks[1]!.resolve(2);
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    await settled();
    looks[2]!.resolve(3);
    expect(await last).toBe(3);
  });

  test('different questions wait for nobody', async () => {
    const { read, looks } = reader();
    const answers = [read('modules'), read('peers')];
    expect(looks.length).toBe(2);
    looks[1]!.resolve(2);
    expect(await answers[1]).toBe(2);
  });

  test('a look that fails is reported to those who share it, and the next one runs all the same', async () => {
    const { read, looks } = reader();
    const first = read();
    const second = read();
    looks[0]!.reject(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await settled();
    looks[1]!.resolve(2);
    expect(await second).toBe(2);
    await settled();
    const third = read();
    expect(looks.length).toBe(3);
    looks[2]!.resolve(3);
    expect(await third).toBe(3);
  });
});
