import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTables, type RowsDiff } from '../../../src/core/tables/diff.ts';
import { PrefixTableBuilder, emptyTable, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { type LabelledPrefix, labelledPrefixes, modelOf, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { rowTexts } from '../../oracle/label-table.ts';
import { times } from '../../fuzz.ts';

/** Two lists that have a part in common, as two states of one list do. */
const twoStates = fc
  .tuple(labelledPrefixes, labelledPrefixes, labelledPrefixes)
  .map(([common, a, b]): [LabelledPrefix[], LabelledPrefix[]] => [
    [...common, ...a],
    [...common, ...b],
  ]);

function textsOf(
  before: PrefixTable,
  after: PrefixTable,
): { announced: string[]; withdrawn: string[]; changed: string[] } {
  const diff = diffTables(before, after);
  const both = (pick: (family: 'ipv4' | 'ipv6', rows: RowsDiff) => string[]): string[] =>
    [...pick('ipv4', diff.ipv4), ...pick('ipv6', diff.ipv6)].sort();
  expect(diff.announced).toBe(diff.ipv4.announced.length + diff.ipv6.announced.length);
  expect(diff.withdrawn).toBe(diff.ipv4.withdrawn.length + diff.ipv6.withdrawn.length);
  expect(diff.changed * 2).toBe(diff.ipv4.changed.length + diff.ipv6.changed.length);
  const changed = (of: 0 | 1): string[] =>
    both((family, rows) => {
      const indices = rows.changed.filter((_, i) => i % 2 === of);
      return rowTexts(of === 0 ? before[family] : after[family], indices);
    });
  expect(changed(0)).toEqual(changed(1));
  return {
    announced: both((family, rows) => rowTexts(after[family], rows.announced)),
    withdrawn: both((family, rows) => rowTexts(before[family], rows.withdrawn)),
    changed: changed(0),
  };
}

/** A long list without the rows that are gone, each with one of two labels. */
function longList(rows: number, change: (row: number) => 'gone' | 'relabelled' | null): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let row = 0; row < rows; row++) {
    const what = change(row);
    if (what === 'gone') continue;
    const label = (row % 5 === 0) === (what === 'relabelled') ? 'a' : 'b';
    builder.add('ipv4', [(row << 8) >>> 0], 24, label);
    builder.add('ipv6', [0x20010db8, row, 0, 0], 64, label);
  }
  return builder.build();
}

describe('diffTables', () => {
  it('finds what the oracle finds', () => {
    fc.assert(
      fc.property(twoStates, ([a, b]) => {
        expect(textsOf(tableOf(a), tableOf(b))).toEqual(modelOf(a).diff(modelOf(b)));
      }),
      { numRuns: times(1000) },
    );
  });

  it('compares labels by what they say, not by their place in the table', () => {
    const row = (address: bigint, label: string): LabelledPrefix => ({
      prefix: new BigPrefix('ipv4', address, 32),
      label,
    });
    const before = tableOf([row(1n, 'm')]);
    const after = tableOf([row(1n, 'm'), row(2n, 'a')]);
    expect(before.ipv4.labels[0]).not.toBe(after.ipv4.labels[0]);
    expect(diffTables(before, after)).toMatchObject({ announced: 1, withdrawn: 0, changed: 0 });
    expect(diffTables(before, tableOf([row(1n, 'n')]))).toMatchObject({
      announced: 0,
      withdrawn: 0,
      changed: 1,
    });
  });

  it('finds nothing between equal tables, and everything against the empty one', () => {
    fc.assert(
      fc.property(labelledPrefixes, (rows) => {
        const table = tableOf(rows);
        const size = table.ipv4.size + table.ipv6.size;
        const none = { announced: 0, withdrawn: 0, changed: 0 };
        expect(diffTables(table, tableOf(rows))).toMatchObject(none);
        expect(diffTables(emptyTable(), table)).toMatchObject({ ...none, announced: size });
        expect(diffTables(table, emptyTable())).toMatchObject({ ...none, withdrawn: size });
      }),
    );
  });

  it('finds each of a few differences in long lists, wherever they are', () => {
    const place = fc.nat({ max: 9_999 });
    fc.assert(
      fc.property(
        fc.array(place, { maxLength: 5 }),
        fc.array(place, { maxLength: 3 }),
        (gone, relabelled) => {
          const before = longList(10_000, () => null);
          const after = longList(10_000, (row) =>
            gone.includes(row) ? 'gone' : relabelled.includes(row) ? 'relabelled' : null,
          );
          const changed = [...new Set(relabelled.filter((row) => !gone.includes(row)))].sort((a, b) => a - b);
          const withdrawn = [...new Set(gone)].sort((a, b) => a - b);
          const there = diffTables(before, after);
          const back = diffTables(after, before);
          for (const family of ['ipv4', 'ipv6'] as const) {
            expect([...there[family].withdrawn]).toEqual(withdrawn);
            expect([...there[family].changed].filter((_, i) => i % 2 === 0)).toEqual(changed);
            expect(there[family].announced.length).toBe(0);
            expect([...back[family].announced]).toEqual(withdrawn);
            expect([...back[family].changed].filter((_, i) => i % 2 === 1)).toEqual(changed);
          }
        },
      ),
      { numRuns: times(30) },
    );
  });
});
