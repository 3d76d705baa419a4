import { expect, test } from 'vitest';
import { GroupPlaces } from '../../src/concurrency/group-places.ts';

/** Takes places, and notes who got one. */
class Takers {
  readonly got: string[] = [];
  readonly #held: { readonly group: string; readonly giveBack: () => void }[] = [];
  readonly places = new GroupPlaces({ inAll: 4, ofGroup: 2, reserved: 1 });

  come(group: string, signal?: AbortSignal): Promise<void> {
    return this.places.take(group, signal).then((giveBack) => {
      this.got.push(group);
      this.#held.push({ group, giveBack });
    });
  }

  async leave(group: string): Promise<void> {
    const at = this.#held.findIndex((each) => each.group === group);
    const { giveBack } = this.#held.splice(at, 1)[0]!;
    giveBack();
    giveBack(); // once only
    await settled();
  }
}

/** Until what was resolved has been noted. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a group gets its share, and the last place is for one that has none', async () => {
  const takers = new Takers();
  for (const group of ['loud', 'loud', 'loud', 'second', 'second']) void takers.come(group);
  await settled();
  expect(takers.got).toEqual(['loud', 'loud', 'second']);
  void takers.come('third');
  await settled();
  expect(takers.got).toEqual(['loud', 'loud', 'second', 'third']);
  expect(takers.places.taken).toBe(4);
});

test('those who wait are served in turns of groups', async () => {
  const takers = new Takers();
  for (const group of ['a', 'a', 'b', 'c', 'a', 'd', 'a', 'd']) void takers.come(group);
  await settled();
  expect(takers.got).toEqual(['a', 'a', 'b', 'c']);
  await takers.leave('a');
  expect(takers.got.slice(4)).toEqual(['d']);
  await takers.leave('b');
  expect(takers.got.slice(4)).toEqual(['d']); // the last place is for another
  await takers.leave('c');
  expect(takers.got.slice(4)).toEqual(['d', 'a']);
  await takers.leave('a');
  await takers.leave('a');
  expect(takers.got.slice(4)).toEqual(['d', 'a', 'd', 'a']);
});

test('whoever gives up before its turn takes no place', async () => {
  const takers = new Takers();
  await Promise.all([takers.come('a'), takers.come('a')]);
  const controller = new AbortController();
  const waiting = takers.come('a', controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  await expect(takers.come('b', controller.signal)).rejects.toThrow('cancelled');
  await takers.leave('a');
  expect(takers.places.taken).toBe(1);
});
