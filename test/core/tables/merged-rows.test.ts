import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesOf } from '../../../src/core/tables/lookup.ts';
import { mergeRows } from '../../../src/core/tables/merged-rows.ts';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import { emptyTable } from '../../../src/core/tables/prefix-table.ts';
import { address, family, prefixes, tableOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { times } from '../../fuzz.ts';

test('one search among merged rows finds what searches of each part find', () => {
  const input = family.chain((of) =>
    fc.tuple(
      fc.constant(of),
      fc.array(prefixes(of, 20), { maxLength: 6 }),
      fc.array(address(of), { maxLength: 10 }),
    ),
  );
  fc.assert(
    fc.property(input, ([of, lists, addresses]) => {
      const parts = lists.map((list) => tableOf(list.map((prefix) => ({ prefix, label: 'x' })))[of]);
      const firstLabels = parts.map((_, part) => part * 10);
      const merged = mergeRows(of, parts, firstLabels);
      expect(merged.size).toBe(parts.reduce((sum, { size }) => sum + size, 0));
      const bits = of === 'ipv4' ? 32 : 128;
      for (const at of [...addresses, ...lists.flat().flatMap(({ first, last }) => [first, last])]) {
        const asked = { family: of, words: new BigPrefix(of, at, bits).words };
        const expected = parts.flatMap((rows, part) =>
          matchesOf(rows, asked).map((row) => `${part * 10} ${formatPrefixAt(rows, row)}`),
        );
        const found = matchesOf(merged, asked).map(
          (row) => `${merged.labels[row]} ${formatPrefixAt(merged, row)}`,
        );
        expect(found.toSorted()).toEqual(expected.toSorted());
      }
    }),
    { numRuns: times(500) },
  );
});

test('rows of one prefix keep the order of their parts, and no parts make no rows', () => {
  const prefix = new BigPrefix('ipv4', 0x0a000000n, 8);
  const rows = tableOf([{ prefix, label: 'x' }]).ipv4;
  const merged = mergeRows('ipv4', [rows, emptyTable().ipv4, rows, rows], [0, 5, 6, 9]);
  expect([...merged.labels]).toEqual([0, 6, 9]);
  expect([...merged.words]).toEqual([0x0a000000, 0x0a000000, 0x0a000000]);
  expect(mergeRows('ipv6', [], []).size).toBe(0);
});
