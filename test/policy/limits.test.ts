import { describe, expect, test } from 'vitest';
import { CLOSED_POLICY, OPEN_POLICY } from '../../src/api/access/tenant-policy.ts';
import {
  SessionLimits,
  allowedSets,
  allowsAddress,
  allowsCommunity,
  outsideRange,
} from '../../src/policy/limits.ts';

describe('allowed prefixes', () => {
  test('hold what they cover, alone or together', () => {
    const allowed = allowedSets(['198.51.100.0/25', '198.51.100.128/25', '2001:db8::/32']);
    for (const inside of ['198.51.100.0/24', '198.51.100.7/32', '2001:db8:1::/48'])
      expect(outsideRange(allowed, inside)).toBeNull();
    for (const outside of ['198.51.0.0/16', '198.51.101.0/24', '0.0.0.0/0', '2001::/16', '::/0'])
      expect(outsideRange(allowed, outside)).toContain(
        `tenant_policy: The policy of the tenant does not allow ${outside}`,
      );
  });

  test('null allows everything, an empty list nothing', () => {
    expect(outsideRange(allowedSets(null), '0.0.0.0/0')).toBeNull();
    expect(outsideRange(allowedSets([]), '192.0.2.1/32')).not.toBeNull();
  });

  test('text that is no address is not allowed', () => {
    expect(allowsAddress(allowedSets(['0.0.0.0/0', '::/0']), 'localhost')).toBe(false);
  });
});

test.each([
  [['65000:100'], '65000:100', true],
  [['65000:100'], '65000:101', false],
  [['65000:*'], '65000:101', true],
  [['65000:*'], '65001:101', false],
  [['65000:*'], '65000:1:1', false],
  [['70000:1:*'], '70000:1:9', true],
  [['70000:1:*'], '70000:2:9', false],
  [['70000:*:*'], '70000:2:9', true],
  [['blackhole'], 'blackhole', true],
  [['65000:*'], 'blackhole', false],
  [[], '65000:100', false],
  [null, '65000:100', true],
])('%j and the community %s: %s', (patterns, community, expected) => {
  expect(allowsCommunity(patterns, community)).toBe(expected);
});

test('a closed policy allows no session, an open one every', () => {
  const [closed, open] = [new SessionLimits(CLOSED_POLICY), new SessionLimits(OPEN_POLICY)];
  expect([closed.localAsn(64512), closed.peer('192.0.2.1'), closed.source('192.0.2.1')]).not.toContain(null);
  expect(closed.nextHop('192.0.2.1')).toContain('no next hop 192.0.2.1');
  expect([
    open.localAsn(64512),
    open.peer('192.0.2.1'),
    open.source('192.0.2.1'),
    open.nextHop('2001:db8::1'),
  ]).toEqual([null, null, null, null]);
});

test('a next hop is an address that the tenant speaks from, or one of its routers', () => {
  const limits = new SessionLimits({
    ...CLOSED_POLICY,
    allowed_peer_networks: ['192.0.2.0/28'],
    allowed_source_addresses: ['198.51.100.7/32'],
  });
  expect([limits.nextHop('192.0.2.3'), limits.nextHop('198.51.100.7')]).toEqual([null, null]);
  expect(limits.nextHop('203.0.113.1')).not.toBeNull();
});
