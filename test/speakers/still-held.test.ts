import { expect, test } from 'vitest';
import { FAMILIES, type Family } from '../../src/core/address.ts';
import { formatPrefixAt } from '../../src/core/tables/prefix-table.ts';
import { stillHeld } from '../../src/speakers/still-held.ts';
import { routesModel, tableOf } from './builtin/models.ts';

const BLACKHOLE = '65535:666';
const BOTH: readonly Family[] = ['ipv4', 'ipv6'];

const held = routesModel(
  tableOf({
    ...{ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1', '65000:2'], '13.0.0.0/8': ['65000:1'] },
    ...{ '9.9.9.0/24': ['65000:1', BLACKHOLE], '9.9.8.0/24': ['65000:1'], '2001:db8:1::/48': ['65000:1'] },
  }),
);

/** What is left, with its communities. */
function left(
  latest: Readonly<Record<string, readonly string[]>>,
  labels: readonly string[] | null = null,
  families = BOTH,
): Record<string, readonly string[]> {
  const { table } = stillHeld(held, routesModel(tableOf(latest)), { labels, families });
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

test('routes of which nothing leaves are the same', () => {
  expect(stillHeld(held, held, { labels: null, families: BOTH })).toBe(held);
});
