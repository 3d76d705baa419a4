import { expect, test } from 'vitest';
import { ruleSets, type RuleSources } from '../../../src/control/tables/rule-sets.ts';
import { formatPrefix, parsePrefix } from '../../../src/core/prefix.ts';
import { prefixesOf } from '../../../src/core/sets/prefix-set.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { storedAs, type StoredTable } from '../../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';

function stored(rows: Readonly<Record<string, readonly string[]>>): StoredTable {
  const builder = new PrefixTableBuilder();
  for (const [label, prefixes] of Object.entries(rows))
    for (const text of prefixes) {
      const parsed = parsePrefix(text);
      if (!parsed.ok) throw new Error(parsed.reason);
      builder.add(parsed.value.family, parsed.value.words, parsed.value.length, label);
    }
  return storedAs(encodeTable(builder.build()), null);
}

function lists(sources: Partial<RuleSources>): { ipv4: string[]; ipv6: string[] } {
  const none = { revision: null, communities: [], modules: [], cidrs: [] };
  const { ipv4, ipv6 } = ruleSets({ kind: 'rule_sets', sources: { ...none, ...sources } });
  return {
    ipv4: Array.from(prefixesOf(ipv4.set), formatPrefix),
    ipv6: Array.from(prefixesOf(ipv6.set), formatPrefix),
  };
}

const revision = stored({
  '65000:1': ['45.0.0.0/24', '2a00::/32'],
  '65000:2': ['45.0.1.0/24', '45.0.9.0/24'],
});

test('communities list their prefixes of the revision, as the fewest', () => {
  expect(lists({ revision, communities: ['65000:1'] })).toEqual({
    ipv4: ['45.0.0.0/24'],
    ipv6: ['2a00::/32'],
  });
  expect(lists({ revision, communities: ['65000:1', '65000:2'] }).ipv4).toEqual([
    '45.0.0.0/23',
    '45.0.9.0/24',
  ]);
});

test('a module lists what it contributed and the revision still holds', () => {
  const snapshot = stored({ entry: ['45.0.0.0/22', '2a00::/31'] });
  const module = { snapshot, families: ['ipv4', 'ipv6'] as const, left_out: [], isExcluding: false };
  expect(lists({ revision, modules: [module] })).toEqual({ ipv4: ['45.0.0.0/23'], ipv6: ['2a00::/32'] });
  expect(lists({ revision, modules: [{ ...module, families: ['ipv6'] }] }).ipv4).toEqual([]);
});

test('a module that excludes lists all that it names', () => {
  const module = {
    snapshot: stored({ entry: ['10.0.0.0/8'] }),
    families: ['ipv4'] as const,
    left_out: [],
    isExcluding: true,
  };
  expect(lists({ revision, modules: [module] }).ipv4).toEqual(['10.0.0.0/8']);
});

test('entries that did not count are left out, of lists that exclude as well, though another entry or module has what they had', () => {
  const snapshot = stored({ off: ['45.0.0.0/24', '45.0.1.0/24'], on: ['45.0.1.0/24', '45.0.9.0/24'] });
  const module = { snapshot, families: ['ipv4'] as const, left_out: ['off'], isExcluding: false };
  expect(lists({ revision, modules: [module] }).ipv4).toEqual(['45.0.1.0/24', '45.0.9.0/24']);
  expect(lists({ revision, modules: [{ ...module, isExcluding: true }] }).ipv4).toEqual([
    '45.0.1.0/24',
    '45.0.9.0/24',
  ]);
});

test('networks of its own join the rest', () => {
  expect(lists({ cidrs: ['192.0.2.0/25', '192.0.2.128/25', '2001:db8::1/128'] })).toEqual({
    ipv4: ['192.0.2.0/24'],
    ipv6: ['2001:db8::1/128'],
  });
});
