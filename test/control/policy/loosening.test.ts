import { expect, test } from 'vitest';
import { SETTING_KEYS } from '../../../src/api/operation/settings.ts';
import { hasDirection, isGuard, isLooser } from '../../../src/control/policy/loosening.ts';

test('of every guardrail it is known which way is looser', () => {
  expect(SETTING_KEYS.filter((key) => isGuard(key) && !hasDirection(key))).toEqual([]);
});

test.each([
  ['guard_allow_default_route', false, true],
  ['guard_min_prefix_length_ipv4', 8, 7],
  ['guard_bogons', 'drop', 'allow'],
  ['guard_protected_prefixes', ['192.0.2.0/24'], []],
  ['guard_protected_prefixes', ['192.0.2.0/24'], ['192.0.2.0/25']],
  ['guard_max_change_percent', 30, 31],
  ['guard_empty_result', 'keep', 'allow'],
  ['guard_max_rejected_percent', 20, 21],
  ['guard_stale_max_hours', 168, 169],
  ['guard_stale_action', 'drop', 'alert'],
  ['guard_max_prefixes', 10, 11],
  ['guard_no_export', true, false],
])('%s: from %j to %j is looser, and back is not', (key, before, after) => {
  expect(isLooser(key, before, after)).toBe(true);
  expect(isLooser(key, after, before)).toBe(false);
  expect(isLooser(key, before, before)).toBe(false);
});

test('protected prefixes may be written in another way, and be more', () => {
  const halves = ['192.0.2.0/25', '192.0.2.128/25', '2001:db8::/32'];
  expect(isLooser('guard_protected_prefixes', ['192.0.2.0/24'], halves)).toBe(false);
});
