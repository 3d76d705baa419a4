import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  judgeChange,
  measureChange,
  unchangedEntries,
  withVersionsOf,
} from '../../../src/control/guards/guard-change.ts';
import { FAMILIES, type Family } from '../../../src/core/address.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { AddressRanges } from '../../oracle/address-ranges.ts';
import { family, prefixes } from '../../oracle/arbitraries.ts';
import type { BigPrefix } from '../../oracle/big-prefix.ts';
import '../../fuzz.ts';

const IDS = ['a', 'b', 'c'];
const LIMITS = { percent: 30, mayBeReplaced: false };

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
      const [change] = measureChange(tableOf(before), tableOf(after), ids, [ofFamily], LIMITS);
      // Small lists: entries that have nothing any more were allowed that.
      const counted = ids.filter((id) => before[id]!.length > 0 && after[id]!.length > 0);
      const [then, now] = [rangesOf(before, counted), rangesOf(after, counted)];
      const extent = (ranges: AddressRanges) => ({
        prefixes: ranges.minimalCover(ofFamily).length,
        addresses: ranges.size,
      });
      const { examples, lost, entryId, of, ...measured } = change!;
      expect(of).toBe('module');
      expect(entryId === null || counted.includes(entryId)).toBe(true);
      expect(measured).toEqual({
        family: ofFamily,
        before: extent(then),
        appeared: extent(now.subtract(then)),
        vanished: extent(then.subtract(now)),
      });
      expect(examples.length).toBeLessThanOrEqual(10);
      // Those that vanish are known apart from those that appear.
      const gone = then.subtract(now).minimalCover(ofFamily);
      expect(lost).toHaveLength(Math.min(5, gone.length));
      expect(examples.slice(0, lost.length)).toEqual(lost);
      expect(examples.length === 0).toBe(
        measured.appeared.prefixes === 0 && measured.vanished.prefixes === 0,
      );
    }),
  );
});

test('an entry that has nothing any more, and does not count, is not the one that changed most', () => {
  const tableWith = (entries: Readonly<Record<string, number>>) => {
    const builder = new PrefixTableBuilder();
    for (const [at, [label, count]] of Object.entries(entries).entries())
      for (let i = 0; i < count; i++) builder.add('ipv4', [0x2d000000 + (at << 16) + (i << 9)], 24, label);
    return builder.build();
  };
  const [before, after] = [tableWith({ stays: 10, left: 40 }), tableWith({ stays: 2 })];
  const [change] = measureChange(before, after, ['stays', 'left'], ['ipv4'], LIMITS);
  expect(change).toMatchObject({ vanished: { prefixes: 8 }, entryId: 'stays' });
});

test('the same addresses in other prefixes are no change', () => {
  const builder = (texts: readonly [number, number][]) => {
    const table = new PrefixTableBuilder();
    for (const [word, length] of texts) table.add('ipv4', [word], length, 'a');
    return table.build();
  };
  const whole = builder([[0x2d000000, 16]]);
  const halves = builder(Array.from({ length: 256 }, (_, i) => [0x2d000000 + (i << 8), 24]));
  const [change] = measureChange(whole, halves, ['a'], ['ipv4'], LIMITS);
  expect(change).toMatchObject({ appeared: { prefixes: 0 }, vanished: { prefixes: 0 } });
});

test('an entry is unchanged while it has the version that it had', () => {
  expect(unchangedEntries('a 1,b 2,c 1', 'a 1,b 3,d 1')).toEqual(['a']);
  expect(unchangedEntries('a 1', 'a 11')).toEqual([]);
  expect(unchangedEntries('', '')).toEqual([]);
});

test('entries have the versions that they have in another list, where they are in it', () => {
  expect(withVersionsOf('a 2,b 1,d 4', 'a 1,c 3,d 4')).toBe('a 2,c 3,d 4');
  expect(withVersionsOf('', 'a 1')).toBe('a 1');
  expect(withVersionsOf('a 1', '')).toBe('');
});

describe('one entry among others', () => {
  const [LARGE, SMALL] = [0x2d000000, 0x2e000000];
  /** Scattered /24s. */
  const tableWith = (counts: Readonly<Record<string, readonly [at: number, count: number]>>) => {
    const builder = new PrefixTableBuilder();
    for (const [label, [at, count]] of Object.entries(counts))
      for (let i = 0; i < count; i++) builder.add('ipv4', [at + (i << 9)], 24, label);
    return builder.build();
  };
  const judge = (before: number, after: number, limits = LIMITS) =>
    measureChange(
      tableWith({ large: [LARGE, 5_000], small: [SMALL, before] }),
      tableWith({ large: [LARGE, 5_000], small: [SMALL, after] }),
      ['large', 'small'],
      ['ipv4'],
      limits,
    ).flatMap((change) => judgeChange(change, limits, { id: 'm', name: 'clouds' }) ?? []);

  test.each([
    // What would be held of it alone, is: from a hundred on the percentage, of fewer half.
    [181, 1, true],
    [181, 0, true],
    [200, 140, false],
    [200, 139, true],
    [200, 260, false],
    [200, 261, true],
    [99, 50, false],
    [99, 49, true],
    [15, 1, true],
    [99, 199, false],
    [99, 200, true],
    // Fewer than ten that come or go are an ordinary day.
    [3, 1, false],
    [3, 0, false],
    [10, 1, false],
    [11, 1, true],
    // Of few, one that has nothing any more was allowed that. What had nothing before is new.
    [99, 0, false],
    [100, 0, true],
    [0, 200, false],
  ])('that had %i prefixes and has %i: held %s', (before, after, isHeld) => {
    const findings = judge(before, after);
    expect(findings.map(({ module_id, entry_id }) => [module_id, entry_id])).toEqual(
      isHeld ? [['m', 'small']] : [],
    );
  });

  test('says that it is about one entry, with prefixes of that entry', () => {
    const [finding] = judge(181, 1);
    expect(finding).toMatchObject({ code: 'max_change_exceeded', measured: 99.45, limit: 30 });
    expect(finding!.detail).toMatch(
      /^Module clouds: without any edit, one of its lists lost 99\.45 % of the .*181 IPv4 prefixes accepted before, and 30 % is the most\./,
    );
    expect(finding!.examples.every((example) => example.startsWith('46.'))).toBe(true);
  });

  test('may lose all that it had where the setting lets a whole module do that', () => {
    expect(judge(181, 1, { ...LIMITS, percent: 100 })).toEqual([]);
    expect(judge(50, 1, { ...LIMITS, percent: 100 })).toEqual([]);
  });

  test('may grow by more than a hundred where the setting lets lists grow so many times over', () => {
    expect(judge(20, 120, { ...LIMITS, percent: 600 })).toEqual([]);
    expect(judge(20, 140, { ...LIMITS, percent: 600 })).toEqual([]);
    expect(judge(20, 141, { ...LIMITS, percent: 600 })).toMatchObject([{ measured: 121, limit: 120 }]);
  });

  test('that had nothing in a family is new there', () => {
    const table = (rows6: number) => {
      const builder = new PrefixTableBuilder();
      for (let i = 0; i < 20; i++) builder.add('ipv4', [SMALL + (i << 9)], 24, 'small');
      for (let i = 0; i < 5_000; i++) builder.add('ipv6', [0x26000000, i << 17, 0, 0], 48, 'large');
      for (let i = 0; i < rows6; i++) builder.add('ipv6', [0x26010000, i << 17, 0, 0], 48, 'small');
      return builder.build();
    };
    const changes = measureChange(table(0), table(200), ['large', 'small'], FAMILIES, LIMITS);
    expect(changes.flatMap((change) => judgeChange(change, LIMITS, { id: 'm', name: 'c' }) ?? [])).toEqual(
      [],
    );
  });

  test('that is a domain is never held for the few addresses that it has', () => {
    const domains = { ...LIMITS, mayBeReplaced: true };
    expect(judge(99, 1, domains)).toEqual([]);
    expect(judge(20, 150, domains)).toEqual([]);
    expect(judge(181, 1, domains)).toMatchObject([{ entry_id: 'small' }]);
  });

  test('is not named again where all of them together changed too much', () => {
    const before = tableWith({ large: [LARGE, 1_000], small: [SMALL, 200] });
    const after = tableWith({ large: [LARGE, 10], small: [SMALL, 10] });
    const changes = measureChange(before, after, ['large', 'small'], ['ipv4'], LIMITS);
    expect(changes).toMatchObject([{ of: 'module', entryId: 'large' }]);
  });

  test('of a large module, one that has nothing any more is a change of all of them', () => {
    const changes = measureChange(
      tableWith({ large: [LARGE, 100], small: [SMALL, 100] }),
      tableWith({ large: [LARGE, 100] }),
      ['large', 'small'],
      ['ipv4'],
      LIMITS,
    );
    expect(changes).toMatchObject([{ of: 'module', entryId: 'small', vanished: { prefixes: 100 } }]);
  });

  test('that has the same addresses with other lengths has changed', () => {
    const tables = [24, 22].map((length) => {
      const builder = new PrefixTableBuilder();
      for (let i = 0; i < 5_000; i++) builder.add('ipv4', [LARGE + (i << 9)], 24, 'large');
      for (let i = 0; i < 120; i++) builder.add('ipv4', [SMALL + (i << 12)], length, 'small');
      return builder.build();
    });
    const changes = measureChange(tables[0]!, tables[1]!, ['large', 'small'], ['ipv4'], LIMITS);
    expect(changes.map(({ of, entryId }) => [of, entryId])).toEqual([
      ['module', null],
      ['entry', 'small'],
    ]);
  });

  test('of many, those that changed most are named', () => {
    const counts = (of: (i: number) => number) =>
      tableWith({
        large: [LARGE, 20_000],
        ...Object.fromEntries(
          Array.from({ length: 12 }, (_, i) => [`e${i}`, [SMALL + (i << 20), of(i)] as const]),
        ),
      });
    const ids = ['large', ...Array.from({ length: 12 }, (_, i) => `e${i}`)];
    const changes = measureChange(
      counts((i) => 20 + i),
      counts(() => 1),
      ids,
      ['ipv4'],
      LIMITS,
    );
    expect(changes.slice(1).map(({ entryId }) => entryId)).toEqual(
      Array.from({ length: 10 }, (_, i) => `e${11 - i}`),
    );
  });
});
