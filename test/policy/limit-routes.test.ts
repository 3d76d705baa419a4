import { describe, expect, test } from 'vitest';
import { OPEN_POLICY, type PolicyGuardrail } from '../../src/policy/policy-guardrail.ts';
import { limitRoutes } from '../../src/policy/limit-routes.ts';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import { tableOf } from '../speakers/builtin/models.ts';

const ROUTES = {
  '45.0.0.0/15': ['65000:1'],
  '45.2.0.0/24': ['65000:1', '65000:2'],
  '46.0.0.0/24': [],
  '2001:db8::/32': ['65000:2'],
};

function limited(policy: Partial<PolicyGuardrail>): Record<string, readonly string[]> {
  const table = limitRoutes(tableOf(ROUTES), { ...OPEN_POLICY, ...policy });
  const routes = [table.ipv4, table.ipv6].flatMap((rows) =>
    Array.from({ length: rows.size }, (_, row) => [
      formatPrefixAt(rows, row),
      table.labelSets[rows.labels[row]!]!,
    ]),
  );
  return Object.fromEntries(routes) as Record<string, readonly string[]>;
}

describe('routes under a policy', () => {
  test('are the same table where it allows all of them', () => {
    const table = tableOf(ROUTES);
    const prefixes = ['45.0.0.0/8', '46.0.0.0/24', '2001:db8::/32'];
    expect(limitRoutes(table, OPEN_POLICY)).toBe(table);
    expect(limitRoutes(table, { ...OPEN_POLICY, prefixes, communities: ['65000:*'] })).toBe(table);
  });

  test('keep the part of a route that is allowed, each family by itself', () => {
    expect(limited({ prefixes: ['45.1.0.0/16', '46.0.0.0/16'] })).toEqual({
      '45.1.0.0/16': ['65000:1'],
      '46.0.0.0/24': [],
    });
    expect(limited({ prefixes: ['2001:db8:8000::/33'] })).toEqual({ '2001:db8:8000::/33': ['65000:2'] });
    expect(limited({ prefixes: [] })).toEqual({});
  });

  test('leave communities that are not allowed, or whose next hop is not', () => {
    const left = { '45.0.0.0/15': ['65000:1'], '45.2.0.0/24': ['65000:1'], '46.0.0.0/24': [] };
    expect(limited({ communities: ['65000:1'] })).toEqual(left);
    expect(limited({ foreignNextHops: ['65000:2'] })).toEqual(left);
  });
});
