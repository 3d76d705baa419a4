import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptySet } from '../../../src/core/sets/prefix-set.ts';
import { CannotFit } from '../../../src/core/sets/fit.ts';
import { fitTable, type FittedTable } from '../../../src/core/fitting/fit-table.ts';
import {
  formatPrefixAt,
  type PrefixTable,
  PrefixTableBuilder,
} from '../../../src/core/tables/prefix-table.ts';
import { FAMILIES } from '../../../src/core/address.ts';
import { times } from '../../fuzz.ts';
import { setOf } from '../../oracle/arbitraries.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { tableOf } from '../../speakers/builtin/models.ts';

/** Each row as `prefix labels`. */
function rowsOf({ labelSets, ...rows }: PrefixTable): string[] {
  return FAMILIES.flatMap((family) =>
    Array.from({ length: rows[family].size }, (_, row) =>
      [formatPrefixAt(rows[family], row), ...labelSets[rows[family].labels[row]!]!].join(' '),
    ),
  );
}

function fit(
  rows: Readonly<Record<string, readonly string[]>>,
  maximum: number,
  isSent: (labels: readonly string[]) => boolean = () => true,
  forbidden: readonly BigPrefix[] = [],
): FittedTable {
  const table = tableOf(rows);
  const sent = Uint8Array.from(table.labelSets, (labels) => (isSent(labels) ? 1 : 0));
  return fitTable({
    ...{ table, maximum, sent: { ipv4: sent, ipv6: sent } },
    forbidden: { ipv4: setOf('ipv4', forbidden), ipv6: emptySet('ipv6') },
  });
}

const A = ['64500:1'];
const B = ['64500:2'];

describe('fitTable', () => {
  test('covers routes of the same labels together, at the least cost, and tells it', () => {
    const rows = { '192.0.2.0/25': A, '192.0.2.192/26': A, '198.51.100.0/26': A, '198.51.100.128/26': A };
    const { table, added, largest, optimal } = fit(rows, 3);
    expect(rowsOf(table)).toEqual([
      '192.0.2.0/24 64500:1',
      '198.51.100.0/26 64500:1',
      '198.51.100.128/26 64500:1',
    ]);
    expect(added.ipv4).toEqual({ addresses: 64n, percent: 20, prefixes: ['192.0.2.128/26'] });
    expect({ optimal, largest }).toEqual({
      optimal: true,
      largest: [{ prefix: '192.0.2.0/24', addresses: 64n }],
    });
  });

  test('names ten of hundreds of thousands of prefixes that add something, those that add most', () => {
    const builder = new PrefixTableBuilder();
    // Two in each /22, far from the next two.
    for (let at = 0; at < 200_000; at++)
      for (const one of [0, 512]) builder.add('ipv4', [0x10000000 + at * 2048 + one], 24, 'A');
    const table = builder.build();
    const sent = Uint8Array.from(table.labelSets, () => 1);
    const { added, largest, ...fitted } = fitTable({
      ...{ table, maximum: 200_000, sent: { ipv4: sent, ipv6: sent } },
      forbidden: { ipv4: emptySet('ipv4'), ipv6: emptySet('ipv6') },
    });
    expect(fitted.table.ipv4.size).toBe(200_000);
    expect(added.ipv4.addresses).toBe(200_000n * 512n);
    expect(largest).toHaveLength(10);
    expect(largest[0]).toEqual({ prefix: '16.0.0.0/22', addresses: 512n });
    expect(added.ipv4.prefixes).toHaveLength(10);
    expect(added.ipv4.prefixes[0]).toBe('16.0.1.0/24');
  });

  test('names the largest of what it adds, wherever that lies, and nothing that lists have', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 255 }), { minLength: 3, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (hosts, maximum) => {
          const rows = Object.fromEntries(hosts.map((host) => [`192.0.2.${host}/32`, A]));
          const { table, added } = fit(rows, maximum);
          // Each address that the cover has beside the hosts, and how large the prefix around it could be.
          const covered = rowsOf(table).flatMap((row) => {
            const [, start, length] = /\.(\d+)\/(\d+) /.exec(row)!.map(Number) as [number, number, number];
            return Array.from({ length: 2 ** (32 - length) }, (_, n) => start + n);
          });
          const beside = new Set(covered.filter((host) => !hosts.includes(host)));
          const named = added.ipv4.prefixes.map((text) => {
            const [, start, length] = /\.(\d+)\/(\d+)$/.exec(text)!.map(Number) as [number, number, number];
            return { start, size: 2 ** (32 - length) };
          });
          for (const { start, size } of named)
            for (let n = 0; n < size; n++) {
              expect(beside.has(start + n)).toBe(true);
              beside.delete(start + n);
            }
          expect(named.map(({ size }) => size)).toEqual(named.map(({ size }) => size).sort((a, b) => b - a));
          // What is not named is none that would be larger, and there is some only where ten are named.
          const smallest = named.at(-1)?.size ?? 0;
          const isWhole = (start: number): boolean =>
            Array.from({ length: smallest * 2 }, (_, n) => start + n).every((host) => beside.has(host));
          if (beside.size > 0) {
            expect(named).toHaveLength(10);
            for (let start = 0; start < 256; start += smallest * 2) expect(isWhole(start)).toBe(false);
          }
        },
      ),
      { numRuns: times(200) },
    );
  });

  test('gives no address the labels of another list, not even where that is not sent', () => {
    const rows = {
      '192.0.2.0/26': A,
      '192.0.2.64/26': B,
      '192.0.2.128/26': A,
      '203.0.113.0/26': A,
      '203.0.113.128/26': A,
    };
    const { table } = fit(rows, 3, (labels) => labels.includes('64500:1'));
    expect(rowsOf(table)).toEqual([
      '192.0.2.0/26 64500:1',
      '192.0.2.128/26 64500:1',
      '203.0.113.0/24 64500:1',
    ]);
    expect(() => fit(rows, 2, (labels) => labels.includes('64500:1'))).toThrow(CannotFit);
  });

  test('covers nothing that is forbidden', () => {
    const rows = { '192.0.2.0/26': A, '192.0.2.128/26': A };
    expect(() => fit(rows, 1, undefined, [new BigPrefix('ipv4', 0xc0000240n, 32)])).toThrow(CannotFit);
    expect(rowsOf(fit(rows, 1, undefined, [new BigPrefix('ipv4', 0xc0000340n, 32)]).table)).toEqual([
      '192.0.2.0/24 64500:1',
    ]);
  });

  test('makes no prefix shorter than the shortest', () => {
    const table = tableOf({ '192.0.2.0/26': A, '192.0.2.128/26': A });
    const sent = { ipv4: Uint8Array.of(1), ipv6: Uint8Array.of(1) };
    const rest = { table, sent, maximum: 1, forbidden: { ipv4: emptySet('ipv4'), ipv6: emptySet('ipv6') } };
    expect(rowsOf(fitTable({ ...rest, shortest: { ipv4: 24, ipv6: 0 } }).table)).toEqual([
      '192.0.2.0/24 64500:1',
    ]);
    expect(() => fitTable({ ...rest, shortest: { ipv4: 25, ipv6: 0 } })).toThrow(CannotFit);
  });

  test('divides the maximum between the families by their sizes, and leaves each at least a route of every group', () => {
    const rows = {
      ...{ '192.0.2.0/26': A, '192.0.2.128/26': A, '198.51.100.0/26': A, '198.51.100.128/26': A },
      ...{ '2001:db8::/34': A, '2001:db8:8000::/34': B },
    };
    const { table, added } = fit(rows, 5);
    expect(rowsOf(table)).toHaveLength(5);
    expect(rowsOf(table).filter((row) => row.startsWith('2001'))).toHaveLength(2);
    expect(added.ipv6).toEqual({ addresses: 0n, percent: 0, prefixes: [] });
    expect(() => fit(rows, 2)).toThrow(CannotFit);
  });

  test('keeps routes without labels, and those that carry several, apart', () => {
    const rows = {
      '192.0.2.0/26': [],
      '192.0.2.128/26': [],
      '198.51.100.0/26': [...A, ...B],
      '198.51.100.128/26': [...A, ...B],
    };
    expect(rowsOf(fit(rows, 2).table)).toEqual(['192.0.2.0/24', '198.51.100.0/24 64500:1 64500:2']);
  });
});
