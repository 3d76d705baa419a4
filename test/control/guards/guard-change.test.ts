import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeChange, measureChange, unchangedEntries } from '../../../src/control/guards/guard-change.ts';
import { FAMILIES, type Family } from '../../../src/core/address.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { family, prefixes } from '../../oracle/arbitraries.ts';
import type { BigPrefix } from '../../oracle/big-prefix.ts';
import '../../fuzz.ts';

const IDS = ['a', 'b', 'c'];

/** What each entry contributes. */
type Lists = Readonly<Record<string, readonly BigPrefix[]>>;

const lists = (ofFamily: Family): fc.Arbitrary<Lists> =>
  fc.record(Object.fromEntries(IDS.map((id) => [id, prefixes(ofFamily, 12)])));

function tableOf(entries: Lists): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const [id, some] of Object.entries(entries))
    for (const { family: ofFamily, words, length } of some) builder.add(ofFamily, words, length, id);
  return builder.build();
}

function rangesOf(entries: Lists, ids: readonly string[]): AddressRanges {
  return AddressRanges.of(ids.flatMap((id) => entries[id]!));
}

test('the change is that of the addresses of the entries that are counted, and of no others', () => {
  const cases = family.chain((ofFamily) =>
    fc.record({
      family: fc.constant(ofFamily),
      before: lists(ofFamily),
      after: lists(ofFamily),
      ids: fc.subarray(IDS),
    }),
  );
  fc.assert(
    fc.property(cases, ({ family: ofFamily, before, after, ids }) => {
      const [change] = measureChange(tableOf(before), tableOf(after), ids, [ofFamily], 30);
      const counted = ids.filter((id) => before[id]!.length > 0);
      const [then, now] = [rangesOf(before, counted), rangesOf(after, counted)];
      const extent = (ranges: AddressRanges) => ({
        prefixes: ranges.minimalCover(ofFamily).length,
        addresses: ranges.size,
      });
      const { examples, entryId, ...measured } = change!;
      expect(entryId === null || counted.includes(entryId)).toBe(true);
      expect(measured).toEqual({
        family: ofFamily,
        before: extent(then),
        appeared: extent(now.subtract(then)),
        vanished: extent(then.subtract(now)),
      });
      expect(examples.length).toBeLessThanOrEqual(10);
      expect(examples.length === 0).toBe(
        measured.appeared.prefixes === 0 && measured.vanished.prefixes === 0,
      );
    }),
  );
});

test('the same addresses in other prefixes are no change', () => {
  const builder = (texts: readonly [number, number][]) => {
    const table = new PrefixTableBuilder();
    for (const [word, length] of texts) table.add('ipv4', [word], length, 'a');
    return table.build();
  };
  const whole = builder([[0x2d000000, 16]]);
  const halves = builder(Array.from({ length: 256 }, (_, i) => [0x2d000000 + (i << 8), 24]));
  const [change] = measureChange(whole, halves, ['a'], ['ipv4'], 30);
  expect(change).toMatchObject({ appeared: { prefixes: 0 }, vanished: { prefixes: 0 } });
});

test('an entry is unchanged while it has the version that it had', () => {
  expect(unchangedEntries('a 1,b 2,c 1', 'a 1,b 3,d 1')).toEqual(['a']);
  expect(unchangedEntries('a 1', 'a 11')).toEqual([]);
  expect(unchangedEntries('', '')).toEqual([]);
});

describe('the limit', () => {
  const extent = (count: number) => ({ prefixes: count, addresses: BigInt(count) });
  const judge = (before: number, appeared: number, vanished: number, percent = 30) =>
    judgeChange(
      {
        family: 'ipv4',
        before: extent(before),
        appeared: extent(appeared),
        vanished: extent(vanished),
        examples: [],
        entryId: null,
      },
      percent,
      { id: 'm', name: 'clouds' },
    );

  test.each([
    // Fewer than a hundred: a hundred prefixes, whatever the percentage.
    [99, 100, 99, false],
    [99, 101, 0, true],
    [1, 100, 1, false],
    [0, 100, 0, false],
    [0, 101, 0, true],
    // From a hundred on: the percentage.
    [100, 30, 30, false],
    [100, 31, 0, true],
    [100, 0, 31, true],
    [101, 30, 30, false],
    [101, 31, 0, true],
    [1_000, 300, 300, false],
    [1_000, 0, 301, true],
  ])('of %i prefixes %i appear and %i vanish: held %s', (before, appeared, vanished, isHeld) => {
    expect(judge(before, appeared, vanished) !== null).toBe(isHeld);
  });

  test('counts addresses as well as prefixes', () => {
    const change = {
      family: 'ipv6' as const,
      before: { prefixes: 1_000, addresses: 1_000n << 64n },
      appeared: { prefixes: 1, addresses: (300n << 64n) + 1n },
      vanished: extent(0),
      examples: ['2600::/40'],
      entryId: 'e',
    };
    const finding = judgeChange(change, 30, { id: 'm', name: 'clouds' });
    expect(finding).toMatchObject({
      code: 'max_change_exceeded',
      module_id: 'm',
      entry_id: 'e',
      measured: 30.01,
      limit: 30,
      examples: ['2600::/40'],
    });
    expect(finding!.detail).toMatch(/by the addresses they cover/);
    const exactly = { prefixes: 1, addresses: 300n << 64n };
    expect(judgeChange({ ...change, appeared: exactly }, 30, { id: 'm', name: 'clouds' })).toBeNull();
  });

  test('is for each family by itself', () => {
    const table = (count: number) => {
      const builder = new PrefixTableBuilder();
      for (let i = 0; i < 200; i++) builder.add('ipv4', [0x2d000000 + (i << 9)], 24, 'a');
      for (let i = 0; i < count; i++) builder.add('ipv6', [0x26000000, i << 17, 0, 0], 48, 'a');
      return builder.build();
    };
    const changes = measureChange(table(200), table(100), ['a'], FAMILIES, 30);
    const findings = changes.map((change) => judgeChange(change, 30, { id: 'm', name: 'clouds' }));
    expect(findings).toMatchObject([null, { measured: 50, entry_id: 'a' }]);
  });
});
