import { describe, expect, test } from 'vitest';
import { inspectTable, type Exempt } from '../../../src/control/guards/guard.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';
import type { Family } from '../../../src/core/address.ts';
import { setOfRows, type PrefixSet } from '../../../src/core/sets/prefix-set.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { OPEN_POLICY } from '../../../src/policy/policy-guardrail.ts';
import { guardrailsOf } from './guardrails.ts';

/** A table of these prefixes: each `prefix`, or `prefix community`. */
function tableOf(...routes: string[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const route of routes) {
    const [text = '', community = null] = route.split(' ');
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    const { family, words, length } = parsed.value;
    builder.add(family, words, length, community);
  }
  return builder.build();
}

const codes = (table: PrefixTable, guardrails: Partial<Guardrails> = {}): string[] =>
  inspectTable(table, guardrailsOf(guardrails)).map(({ code }) => code);

test('a good table breaks nothing', () => {
  const table = tableOf('8.0.0.0/8', '9.9.9.0/24 65000:1', '2600::/19', '2a00::/32 65000:2');
  expect(inspectTable(table, guardrailsOf())).toEqual([]);
});

describe('the default route', () => {
  test.each(['0.0.0.0/0', '::/0'])('%s', (prefix) => {
    const [finding, ...others] = inspectTable(tableOf(`${prefix} 65000:1`, '9.9.9.0/24'), guardrailsOf());
    expect(finding).toMatchObject({
      code: 'default_route_forbidden',
      examples: [prefix],
      community: '65000:1',
    });
    expect(others).toEqual([]);
    expect(codes(tableOf(prefix), { allowDefaultRoute: true })).toEqual([]);
  });

  test('in halves of different communities, which no aggregation joins', () => {
    const halves = tableOf('0.0.0.0/1 65000:1', '128.0.0.0/1 65000:2');
    const loose = { minLength: { ipv4: 0, ipv6: 0 } };
    expect(codes(halves, loose)).toEqual(['default_route_forbidden']);
    expect(codes(halves, { ...loose, allowDefaultRoute: true })).toEqual([]);
  });

  test('without what is not routed anyway', () => {
    const all = Array.from({ length: 256 }, (_, octet) => `${octet}.0.0.0/8`);
    const routed = all.filter((_, octet) => octet !== 10 && octet !== 0 && octet !== 127 && octet < 224);
    expect(codes(tableOf(...routed), { bogons: 'allow' })).toEqual(['default_route_forbidden']);
    const left = (share: number) => tableOf(...routed.slice(0, Math.floor(routed.length * share)));
    expect(codes(left(0.91), { bogons: 'allow' })).toEqual(['default_route_forbidden']);
    expect(codes(left(0.89), { bogons: 'allow' })).toEqual(['coverage_exceeded']);
  });

  test('many prefixes that overlap are not the whole family', () => {
    const nested = Array.from({ length: 9 }, (_, i) => `64.0.0.0/${8 + i}`);
    const wide = ['64.0.0.0/2 65000:1', '64.0.0.0/2 65000:2', '64.0.0.0/3', '96.0.0.0/3', '64.0.0.0/4'];
    expect(codes(tableOf(...nested, ...wide), { minLength: { ipv4: 0, ipv6: 0 } })).toEqual([]);
  });
});

describe('the share of the unicast space', () => {
  const loose = { minLength: { ipv4: 0, ipv6: 0 }, bogons: 'allow' as const };

  test.each([
    // Special-purpose, multicast and reserved space is no part of what is measured, be it held or not.
    ['IPv4: the quarter with most of it', ['192.0.0.0/2'], 14.49],
    ['IPv4: a half with little of it', ['64.0.0.0/2', '128.0.0.0/2'], 57.4],
    // 2000::/3 is what IANA assigns; what lies beside it is no unicast space that anybody routes.
    ['IPv6: all that is assigned', ['2000::/3'], 100],
    ['IPv6: half of it', ['2000::/4'], 49.99],
    ['IPv6: beside it', ['4000::/2', '8000::/2'], 0],
  ])('%s', (_what, prefixes, percent) => {
    const found = inspectTable(tableOf(...prefixes), guardrailsOf({ ...loose, maxCoveragePercent: 0 }));
    expect(found.map(({ measured }) => measured)).toEqual(percent === 0 ? [] : [percent]);
  });

  test('of exactly the limit is good, and of more is reported with the limit', () => {
    const table = tableOf('64.0.0.0/2 65000:1', '9.9.9.0/24 65000:2');
    const [finding] = inspectTable(table, guardrailsOf({ ...loose, maxCoveragePercent: 28 }));
    expect(finding).toMatchObject({
      code: 'coverage_exceeded',
      community: '65000:1',
      examples: ['64.0.0.0/2', '9.9.9.0/24'],
      measured: 28.43,
      limit: 28,
    });
    expect(codes(table, { ...loose, maxCoveragePercent: 29 })).toEqual([]);
    const half = tableOf('2000::/4', '3000::/128');
    expect(codes(half, { ...loose, maxCoveragePercent: 50 })).toEqual([]);
  });

  test('names the community that is too much by itself, where there is one', () => {
    const guardrails = guardrailsOf({ ...loose, maxCoveragePercent: 20 });
    expect(inspectTable(tableOf('64.0.0.0/2 65000:1', '9.9.9.0/24 65000:2'), guardrails)).toMatchObject([
      { community: '65000:1' },
    ]);
    expect(inspectTable(tableOf('64.0.0.0/2 65000:1', '128.0.0.0/2 65000:2'), guardrails)).toMatchObject([
      { community: null },
    ]);
  });

  test('of the default route with a hole is that of a default route', () => {
    const holed = ['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/3', '224.0.0.0/4', '240.0.0.0/5', '248.0.0.0/6'];
    expect(codes(tableOf(...holed), loose)).toEqual(['default_route_forbidden']);
    expect(codes(tableOf(...holed), { ...loose, allowDefaultRoute: true })).toEqual([]);
  });
});

test('what somebody let through may break this guardrail, and nothing beside it', () => {
  const table = tableOf('64.0.0.0/2', '8.0.0.0/7', '16.0.0.0/7');
  const guardrails = guardrailsOf({ maxCoveragePercent: 20 });
  const ipv6 = tableOf().ipv6;
  const letThrough = (code: string, ...routes: string[]): [string, Record<Family, PrefixSet>] => [
    code,
    { ipv4: setOfRows(tableOf(...routes).ipv4), ipv6: setOfRows(ipv6) },
  ];
  expect(inspectTable(table, guardrails).map(({ code }) => code)).toEqual([
    'coverage_exceeded',
    'prefix_too_short',
  ]);
  expect(
    inspectTable(
      table,
      guardrails,
      new Map([
        letThrough('coverage_exceeded', '64.0.0.0/2'),
        letThrough('prefix_too_short', '64.0.0.0/2', '8.0.0.0/7'),
      ]),
    ),
  ).toMatchObject([{ code: 'prefix_too_short', examples: ['16.0.0.0/7'] }]);
});

describe('the shortest prefix', () => {
  test.each([
    ['8.0.0.0/7', '8.0.0.0/8', { ipv4: 8, ipv6: 19 }],
    ['2600::/18', '2600::/19', { ipv4: 8, ipv6: 19 }],
    ['8.8.0.0/16', '8.8.0.0/17', { ipv4: 17, ipv6: 0 }],
  ])('%s is too short, %s is not', (short, long, minLength) => {
    expect(inspectTable(tableOf(short, '9.9.9.0/24'), guardrailsOf({ minLength }))).toMatchObject([
      {
        code: 'prefix_too_short',
        examples: [short],
        limit: minLength[short.includes(':') ? 'ipv6' : 'ipv4'],
      },
    ]);
    expect(codes(tableOf(long), { minLength })).toEqual([]);
  });
});

describe('special-purpose addresses', () => {
  test.each([
    ...['10.1.0.0/16', '2001:db8::/32', '192.0.2.1/32', '100.64.0.0/10'],
    // The shortest that a list may have: what sources have of them is cut, and ranges are held.
    ...['10.0.0.0/8', '2001::/19'],
  ])('%s', (prefix) => {
    expect(codes(tableOf(prefix))).toEqual(['bogon_prefix']);
    expect(codes(tableOf(prefix), { bogons: 'allow' })).toEqual([]);
  });

  test('are reported with what they are', () => {
    const [finding] = inspectTable(tableOf('10.1.0.0/16', '172.16.0.0/24'), guardrailsOf());
    expect(finding).toMatchObject({ measured: 2, limit: 0, examples: ['10.1.0.0/16', '172.16.0.0/24'] });
    expect(finding!.detail).toMatch(/10\.1\.0\.0\/16 \(Private use, RFC 1918\)/);
  });
});

describe('protected prefixes', () => {
  const guardrails = {
    protected: [
      { prefix: '9.9.0.0/16', of: 'the setting guard_protected_prefixes' },
      { prefix: '8.8.8.8', of: 'the peer edge' },
      { prefix: '2600:80::1', of: 'the speaker one' },
    ],
  };

  test.each([
    ['inside', '9.9.9.0/24'],
    ['the same', '9.9.0.0/16'],
    ['around', '9.8.0.0/15'],
    ['around an address', '8.8.8.0/24'],
    ['around an address of the other family', '2600:80::/32'],
  ])('%s', (_where, prefix) => {
    expect(codes(tableOf(prefix, '45.0.0.0/24'), guardrails)).toEqual(['protected_prefix']);
  });

  test('beside them is good', () => {
    expect(codes(tableOf('9.10.0.0/16', '8.8.8.9/32', '8.8.9.0/24', '2600:81::/32'), guardrails)).toEqual([]);
  });

  test('the default route has a guardrail of its own', () => {
    expect(codes(tableOf('0.0.0.0/0', '::/0'), { ...guardrails, allowDefaultRoute: true })).toEqual([]);
  });

  test('are reported with whose they are', () => {
    const [finding] = inspectTable(tableOf('8.8.8.0/24 65000:7'), guardrailsOf(guardrails));
    expect(finding).toMatchObject({ community: '65000:7', examples: ['8.8.8.0/24'] });
    expect(finding!.detail).toMatch(
      /^1 IPv4 prefix holds protected addresses: 8\.8\.8\.0\/24 holds 8\.8\.8\.8 \(the peer edge\)\. Remove the entry that it comes from, or exclude 8\.8\.8\.8 with a module of purpose exclude\.$/,
    );
    const [same] = inspectTable(tableOf('8.8.8.8/32 65000:7'), guardrailsOf(guardrails));
    expect(same!.detail).toMatch(
      /^1 IPv4 prefix holds protected addresses: 8\.8\.8\.8\/32 \(the peer edge\)\. Remove /,
    );
    const [within] = inspectTable(
      tableOf('9.9.9.0/24 65000:7', '9.9.1.0/24 65000:7'),
      guardrailsOf(guardrails),
    );
    expect(within!.detail).toMatch(
      /^2 IPv4 prefixes hold protected addresses, such as 9\.9\.1\.0\/24, which lies in 9\.9\.0\.0\/16 \(the setting guard_protected_prefixes\)/,
    );
  });
});

describe('addresses of the service', () => {
  const service = {
    protected: [
      { prefix: '8.8.8.8', of: 'the peer edge' },
      { prefix: '45.45.45.45', of: 'the database', isOfService: true as const },
    ],
  };
  const policy = (...prefixes: string[]) => ({ policy: { ...OPEN_POLICY, prefixes } });
  const within = policy('45.45.0.0/16');
  const outside = policy('45.10.0.0/16');

  test.each([
    [
      'the home tenant is named them',
      { namesService: true },
      ['protected_prefix'],
      /45\.45\.45\.45 \(the database\)/,
    ],
    [
      'others learn that there is one',
      within,
      ['protected_prefix'],
      /an address of the service or its database/,
    ],
    [
      'nor do those without a limit learn which',
      {},
      ['protected_prefix'],
      /an address of the service or its database/,
    ],
    ['of what their policy holds they learn nothing', outside, ['tenant_policy'], /allowed_prefixes/],
  ])('%s', (_, more, wanted, words) => {
    const guardrails = { ...service, ...more };
    const table = tableOf('45.45.0.0/16');
    expect(codes(table, guardrails)).toEqual(wanted);
    const [finding] = inspectTable(table, guardrailsOf(guardrails));
    expect(finding!.detail).toMatch(words);
    if (!('namesService' in more)) expect(JSON.stringify(finding)).not.toContain('45.45.45.45');
  });

  test("are looked for in what the policy would hold and somebody let through; the tenant's own are always named", () => {
    const guardrails = guardrailsOf({ ...service, ...outside });
    const table = tableOf('8.8.8.0/24', '45.45.0.0/16');
    const found = (exempt: Exempt) =>
      inspectTable(table, guardrails, exempt).map(({ code, examples }) => [code, ...examples]);
    const held = ['tenant_policy', '8.8.8.0/24', '45.45.0.0/16'];
    expect(found(new Map())).toEqual([['protected_prefix', '8.8.8.0/24'], held]);
    const released = { ipv4: setOfRows(table.ipv4), ipv6: setOfRows(table.ipv6) };
    expect(found(new Map([['tenant_policy', released]]))).toEqual([
      ['protected_prefix', '8.8.8.0/24', '45.45.0.0/16'],
    ]);
  });
});

describe('what was let through is so also where it has merged with a neighbour', () => {
  const exempt = (code: string, ...released: string[]): Exempt => {
    const { ipv4, ipv6 } = tableOf(...released);
    return new Map([[code, { ipv4: setOfRows(ipv4), ipv6: setOfRows(ipv6) }]]);
  };

  test('protected addresses', () => {
    const guardrails = guardrailsOf({ protected: [{ prefix: '9.9.9.0/24', of: 'the setting' }] });
    const found = (...released: string[]) =>
      inspectTable(tableOf('9.9.8.0/23'), guardrails, exempt('protected_prefix', ...released)).map(
        ({ code }) => code,
      );
    expect(found('9.9.9.0/24')).toEqual([]);
    expect(found('9.9.9.0/25')).toEqual(['protected_prefix']);
    expect(found('9.9.8.0/24')).toEqual(['protected_prefix']);
  });

  test("what the tenant's policy does not allow", () => {
    const guardrails = guardrailsOf({ policy: { ...OPEN_POLICY, prefixes: ['9.9.8.0/24'] } });
    const found = (...released: string[]) =>
      inspectTable(tableOf('9.9.8.0/23'), guardrails, exempt('tenant_policy', ...released)).map(
        ({ code }) => code,
      );
    expect(found('9.9.9.0/24')).toEqual([]);
    expect(found('9.9.9.0/25')).toEqual(['tenant_policy']);
  });
});

test('more prefixes than allowed, both families together', () => {
  const table = tableOf('9.9.9.0/24', '8.8.8.0/24', '2600::/32');
  expect(codes(table, { maxPrefixes: 3 })).toEqual([]);
  expect(inspectTable(table, guardrailsOf({ maxPrefixes: 2 }))).toMatchObject([
    { code: 'max_prefixes_exceeded', measured: 3, limit: 2 },
  ]);
});

test('each guardrail is reported once for a family, with ten examples', () => {
  const many = Array.from({ length: 40 }, (_, i) => `10.${i}.0.0/16 65000:${i % 2}`);
  const findings = inspectTable(tableOf(...many, '0.0.0.0/0', 'fc00::/32', '8.0.0.0/6'), guardrailsOf());
  expect(findings.map(({ code }) => code)).toEqual([
    'default_route_forbidden',
    'prefix_too_short',
    'bogon_prefix',
    'bogon_prefix',
  ]);
  expect(findings[2]).toMatchObject({ measured: 40, community: null });
  expect(findings[2]!.examples).toHaveLength(10);
});
