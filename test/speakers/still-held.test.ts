import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAMILIES, type Family } from '../../src/core/address.ts';
import { formatPrefixAt, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { leftOf } from '../../src/speakers/still-held.ts';
import { times } from '../fuzz.ts';
import { tableOf } from './builtin/models.ts';

const BLACKHOLE = '65535:666';
const BOTH: readonly Family[] = ['ipv4', 'ipv6'];

const held = tableOf({
  ...{ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1', '65000:2'], '13.0.0.0/8': ['65000:1'] },
  ...{ '9.9.9.0/24': ['65000:1', BLACKHOLE], '9.9.8.0/24': ['65000:1'], '2001:db8:1::/48': ['65000:1'] },
});

/** What is left, with its communities. */
function left(
  latest: Readonly<Record<string, readonly string[]>>,
  labels: readonly string[] | null = null,
  families = BOTH,
): Record<string, readonly string[]> {
  return textsOf(leftOf(held, tableOf(latest), { labels, families }));
}

function textsOf(table: PrefixTable): Record<string, readonly string[]> {
  return Object.fromEntries(
    FAMILIES.flatMap((family) =>
      Array.from(table[family].labels, (set, row) => [
        formatPrefixAt(table[family], row),
        table.labelSets[set]!,
      ]),
    ),
  );
}

test('what is announced no more leaves, what is new does not come, and the rest keeps the communities it is held with', () => {
  expect(left({ '11.0.0.0/8': ['65000:2'], '12.0.0.0/8': ['65000:1', '65000:2'], '14.0.0.0/8': [] })).toEqual(
    {
      ...{ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1', '65000:2'] },
    },
  );
  expect(left({})).toEqual({});
});

test('a blackhole ends where its prefix is only forwarded, and none begins', () => {
  expect(left({ '9.9.9.0/24': ['65000:1'], '9.9.8.0/24': [BLACKHOLE] })).toEqual({
    '9.9.8.0/24': ['65000:1'],
  });
  expect(left({ '9.9.9.0/24': [BLACKHOLE] })).toEqual({ '9.9.9.0/24': ['65000:1', BLACKHOLE] });
});

test('so does what carries no community any more that the peer is sent', () => {
  expect(left({ '11.0.0.0/8': ['65000:2'], '12.0.0.0/8': ['65000:2'] }, ['65000:2'])).toEqual({
    '11.0.0.0/8': ['65000:1'],
    '12.0.0.0/8': ['65000:1', '65000:2'],
  });
  expect(left({ '11.0.0.0/8': ['65000:2'], '9.9.9.0/24': ['65000:1'] }, ['65000:1'])).toEqual({
    '9.9.9.0/24': ['65000:1', BLACKHOLE],
  });
});

test('what was merged with a neighbour, or lies in a prefix that is announced now, stays as it is held', () => {
  expect(left({ '10.0.0.0/7': ['65000:1'], '12.0.0.0/8': ['65000:1'] })).toEqual({
    ...{ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1', '65000:2'] },
  });
  // Two neighbours with communities of their own are one prefix for whoever is sent both.
  expect(left({ '12.0.0.0/9': ['65000:1'], '12.128.0.0/9': ['65000:2'] })).toEqual({
    '12.0.0.0/8': ['65000:1', '65000:2'],
  });
});

test('of what is announced in part, that part is left', () => {
  expect(left({ '11.0.0.0/9': ['65000:9'], '13.64.0.0/10': ['65000:1'] })).toEqual({
    ...{ '11.0.0.0/9': ['65000:1'], '13.64.0.0/10': ['65000:1'] },
  });
});

test('there are never more routes than it held, and the largest parts are left', () => {
  expect(
    left({
      '11.0.0.0/16': [],
      '11.2.0.0/15': [],
      '11.4.0.0/16': [],
      '11.6.0.0/16': [],
      '9.9.9.0/24': [BLACKHOLE],
    }),
  ).toEqual({
    '9.9.9.0/24': ['65000:1', BLACKHOLE],
    ...{ '11.0.0.0/16': ['65000:1'], '11.2.0.0/15': ['65000:1'], '11.4.0.0/16': ['65000:1'] },
    '11.6.0.0/16': ['65000:1'],
  });
  const parts = Array.from({ length: 9 }, (_, at) => [`11.${2 * at + 20}.0.0/16`, []] as const);
  expect(Object.keys(left({ '11.8.0.0/14': [], ...Object.fromEntries(parts) }))).toEqual([
    ...['11.8.0.0/14', '11.20.0.0/16', '11.22.0.0/16', '11.24.0.0/16', '11.26.0.0/16'],
  ]);
});

test('a blackhole that is merged with another stays one, and ends where what is around it is only forwarded', () => {
  expect(left({ '9.9.8.0/23': [BLACKHOLE] })).toEqual({
    ...{ '9.9.8.0/24': ['65000:1'], '9.9.9.0/24': ['65000:1', BLACKHOLE] },
  });
  expect(left({ '9.9.8.0/23': ['65000:1'] })).toEqual({ '9.9.8.0/24': ['65000:1'] });
  expect(left({ '9.9.9.0/25': [BLACKHOLE], '9.9.9.0/24': ['65000:1'] })).toEqual({
    '9.9.9.0/25': ['65000:1', BLACKHOLE],
  });
});

test('of any routes it has what both have, as parts of what it held, and no more of them', () => {
  const universe = fc.uniqueArray(
    fc.tuple(
      fc.integer({ min: 0, max: 15 }),
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom('65000:1', '65000:2'),
    ),
    { maxLength: 8, selector: ([place, bits]) => `${place >> (4 - bits)}/${bits}` },
  );
  const routes = (rows: readonly (readonly [number, number, string])[]): Record<string, string[]> =>
    Object.fromEntries(
      rows.map(([place, bits, label]) => [
        `${((place >> (4 - bits)) << (4 - bits)) << 4}.0.0.0/${bits}`,
        [label],
      ]),
    );
  const addresses = (table: Readonly<Record<string, readonly string[]>>): number[] =>
    Array.from({ length: 16 }, (_, place) => place).filter((place) =>
      Object.keys(table).some((text) => {
        const [first, bits] = [Number(text.split('.')[0]) >> 4, Number(text.split('/')[1])];
        return place >> (4 - bits) === first >> (4 - bits);
      }),
    );
  fc.assert(
    fc.property(universe, universe, (before, after) => {
      const [was, is] = [routes(before), routes(after)];
      const kept = textsOf(leftOf(tableOf(was), tableOf(is), { labels: null, families: BOTH }));
      const both = addresses(was).filter((place) => addresses(is).includes(place));
      const count = Object.keys(kept).length;
      expect(count).toBeLessThanOrEqual(Object.keys(was).length);
      // Only for want of room is anything missing.
      if (count < Object.keys(was).length) expect(addresses(kept)).toEqual(both);
      else for (const place of addresses(kept)) expect(both).toContain(place);
    }),
    { numRuns: times(1000) },
  );
});

test('routes of which nothing leaves are the same', () => {
  expect(leftOf(held, held, { labels: null, families: BOTH })).toBe(held);
});
