import { expect, test } from 'vitest';
import { writeFeed } from '../../../src/control/tables/feed-text.ts';
import { PrefixSetBuilder, type PrefixSet } from '../../../src/core/sets/prefix-set.ts';

/** Every second /32 from 44.0.0.0 on. */
function scattered(size: number): PrefixSet {
  const builder = new PrefixSetBuilder('ipv4');
  for (let n = 0; n < size; n++) builder.add(Uint32Array.of(0x2c000000 + 2 * n), 32);
  return builder.build();
}

test('an ipset is made alike whatever it holds, since one that exists is refused with other limits', () => {
  const created = [1, 70_000].map((size) => {
    const feed = { name: 'drop', number: 1, format: 'ipset', sets: [scattered(size)] } as const;
    return Buffer.from(writeFeed(feed))
      .toString('latin1')
      .split('\n')
      .filter((line) => line.startsWith('create '));
  });
  expect(created[0]).toHaveLength(2);
  expect(created[1]).toEqual(created[0]);
});
