import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CollectedLists } from '../../../src/control/lookup/collected-lists.ts';
import type { Address } from '../../../src/core/address.ts';
import { address, labelledPrefixes, type LabelledPrefix, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { plainText } from '../../oracle/aggregate.ts';
import { times } from '../../fuzz.ts';

const listsOf = (lists: readonly LabelledPrefix[][]): CollectedLists =>
  new CollectedLists(lists.map((rows, place) => ({ moduleId: `module ${place}`, table: tableOf(rows) })));

/** As `module prefix entry`, in order. */
function reported(lists: CollectedLists, asked: Address): string[] {
  return lists.find(asked).flatMap(({ labelSet, prefix }) => {
    const { moduleId, entryIds } = lists.originOf(labelSet);
    return entryIds.map((entryId) => `${moduleId} ${prefix} ${entryId}`);
  });
}

/** The same, of all rows one by one. */
function expected(lists: readonly LabelledPrefix[][], family: Address['family'], at: bigint): string[] {
  return lists.flatMap((rows, place) => {
    const around = rows.filter(({ prefix, label }) => {
      return label !== null && prefix.family === family && prefix.contains(at);
    });
    const sorted = around.toSorted(
      (a, b) => b.prefix.length - a.prefix.length || (a.label! < b.label! ? -1 : 1),
    );
    return [...new Set(sorted.map(({ prefix, label }) => `module ${place} ${plainText(prefix)} ${label}`))];
  });
}

test('finds what lies around an address, list by list and longest first, before lists are merged and after', async () => {
  const input = fc.tuple(
    fc.array(labelledPrefixes, { maxLength: 6 }),
    fc.array(address('ipv4'), { maxLength: 5 }),
    fc.array(address('ipv6'), { maxLength: 5 }),
  );
  await fc.assert(
    fc.asyncProperty(input, async ([lists, ipv4, ipv6]) => {
      const collected = listsOf(lists);
      const questions = [
        ...ipv4.map((at) => ({ family: 'ipv4' as const, at })),
        ...ipv6.map((at) => ({ family: 'ipv6' as const, at })),
        ...lists.flat().flatMap(({ prefix: { family, first, last } }) => [
          { family, at: first },
          { family, at: last },
        ]),
      ];
      const answers = () =>
        questions.map(({ family, at }) =>
          reported(collected, {
            family,
            words: new BigPrefix(family, at, family === 'ipv4' ? 32 : 128).words,
          }),
        );
      const before = answers();
      expect(before).toEqual(questions.map(({ family, at }) => expected(lists, family, at)));
      await collected.merge();
      expect(answers()).toEqual(before);
    }),
    { numRuns: times(100) },
  );
});

test.each([3, 30])('of %d matches in merged lists, those of the first list come first', async (count) => {
  const lists = Array.from({ length: count }, (_, place) => [
    { prefix: new BigPrefix('ipv4', 0x0b000000n, 8 + ((place * 7) % 24)), label: 'x' },
  ]);
  const collected = listsOf(lists);
  const asked: Address = { family: 'ipv4', words: [0x0b000000] };
  await collected.merge();
  expect(reported(collected, asked)).toEqual(expected(lists, 'ipv4', 0x0b000000n));
});

test('what is searched often is merged by itself, and takes no more memory then', async () => {
  const list = Array.from({ length: 100 }, (_, i) => ({
    prefix: new BigPrefix('ipv4', BigInt(0x0b000000 + i * 256), 24),
    label: 'x',
  }));
  const collected = listsOf([list, list, list, list]);
  const asked: Address = { family: 'ipv4', words: [0x0b000101] };
  const before = { bytes: collected.bytes, found: collected.find(asked) };
  expect(before.found).toHaveLength(4);
  expect(collected.isMerged).toBe(false);
  for (let i = 0; i < 100; i++) collected.find(asked);
  await expect.poll(() => collected.isMerged, { interval: 20 }).toBe(true);
  expect(collected.find(asked)).toEqual(before.found);
  expect(collected.bytes).toBeLessThanOrEqual(before.bytes);
});
