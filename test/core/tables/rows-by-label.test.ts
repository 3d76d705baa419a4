import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAMILIES } from '../../../src/core/address.ts';
import { PrefixTableBuilder, relabelTable, rowsWithLabel } from '../../../src/core/tables/prefix-table.ts';
import {
  groupByLabel,
  joinLists,
  listsByLabel,
  tableOfLists,
} from '../../../src/core/tables/rows-by-label.ts';
import { labelledPrefixes, tableOf } from '../../oracle/arbitraries.ts';
import { times } from '../../fuzz.ts';

test('each label has exactly its rows, and together they are the table again', () => {
  fc.assert(
    fc.property(labelledPrefixes, (prefixes) => {
      // Rows without a label belong to no list.
      const labelled = prefixes.filter(({ label }) => label !== null);
      const table = tableOf(labelled);
      const lists = listsByLabel(groupByLabel(tableOf(prefixes)));
      expect([...lists.keys()].sort()).toEqual([...new Set(table.labelSets.flat())].sort());
      for (const [label, rows] of lists) {
        const expected = rowsWithLabel(table, label);
        for (const family of FAMILIES) {
          expect(rows[family].size).toBe(expected[family].size);
          expect([...rows[family].words]).toEqual([...expected[family].words]);
          expect([...rows[family].lengths]).toEqual([...expected[family].lengths]);
        }
      }
      expect(tableOfLists(joinLists(lists))).toEqual(table);
    }),
    { numRuns: times(500) },
  );
});

test('large lists stand alone in their memory, and are not copied', () => {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < 70_000; i++) builder.add('ipv4', [i * 256], 24, i < 10 ? 'small' : 'large');
  const table = relabelTable(builder.build(), (label) => label);
  const grouped = groupByLabel(table);
  expect(grouped.map(({ labels }) => labels)).toEqual([['large'], ['small']]);
  const lists = listsByLabel(grouped);
  const parts = joinLists(lists);
  expect(parts.map(({ labels }) => labels)).toEqual([['large'], ['small']]);
  expect(parts[0]!.rows.words.buffer).toBe(grouped[0]!.rows.words.buffer);
  expect(parts[0]!.rows.words.byteLength).toBe(grouped[0]!.rows.words.buffer.byteLength);
  expect(tableOfLists(parts)).toEqual(table);
});
