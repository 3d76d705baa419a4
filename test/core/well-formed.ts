import { expect } from 'vitest';
import type { PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';

/** Everything that the docstrings of a table promise. */
export function expectWellFormed(table: PrefixTable): void {
  const keys = table.labelSets.map((labels) => JSON.stringify(labels));
  expect(new Set(keys).size).toBe(keys.length);
  for (const labels of table.labelSets) expect(labels).toEqual([...new Set(labels)].sort());
  const sorted = [...table.labelSets].sort((a, b) => {
    const i = a.findIndex((label, place) => label !== b[place]);
    if (i < 0) return a.length - b.length;
    return b[i] === undefined || a[i]! > b[i] ? 1 : -1;
  });
  expect(table.labelSets).toEqual(sorted);

  const used = new Set([...table.ipv4.labels, ...table.ipv6.labels]);
  expect([...used].sort((a, b) => a - b)).toEqual(table.labelSets.map((_, i) => i));

  for (const rows of [table.ipv4, table.ipv6]) {
    expect(rows.words).toHaveLength(rows.size * (rows.family === 'ipv4' ? 1 : 4));
    expect(rows.lengths).toHaveLength(rows.size);
    expect(rows.labels).toHaveLength(rows.size);
    const prefixes = BigPrefix.listOf(rows);
    const cleared = prefixes.filter(
      ({ first, bits, length }) => first % (1n << BigInt(bits - length)) !== 0n,
    );
    expect(cleared).toEqual([]);
    const outOfOrder = prefixes.filter((prefix, i) => {
      const before = prefixes[i - 1];
      if (before === undefined) return false;
      return before.first > prefix.first || (before.first === prefix.first && before.length >= prefix.length);
    });
    expect(outOfOrder).toEqual([]);
  }
}
