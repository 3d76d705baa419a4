import { describe, expect, test } from 'vitest';
import { buildRevision, type EntryPolicy, type ModuleToBuild } from '../../src/control/build-revision.ts';
import { formatPrefixAt, parsePrefix } from '../../src/core/prefix.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../src/core/prefix-table.ts';

const A = { id: 'id-a', community: '64500:1', title: 'A' };
const B = { id: 'id-b', community: '64500:2', title: 'B' };

/** A snapshot from `entry id -> prefixes`. */
function snapshot(entries: Record<string, string[]>): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const [id, prefixes] of Object.entries(entries)) {
    for (const text of prefixes) {
      const parsed = parsePrefix(text);
      if (!parsed.ok) throw new Error(parsed.reason);
      builder.add(parsed.value.family, parsed.value.words, parsed.value.length, id);
    }
  }
  return builder.build();
}

function module(
  entries: Record<string, string[]>,
  more: Partial<ModuleToBuild> & { policies?: Record<string, Partial<EntryPolicy>> } = {},
): ModuleToBuild {
  const { policies = {}, ...rest } = more;
  const policyOf = (id: string): EntryPolicy => ({ enabled: true, community_id: null, ...policies[id] });
  return {
    purpose: 'announce',
    families: ['ipv4', 'ipv6'],
    community_id: A.id,
    table: snapshot(entries),
    entries: new Map(Object.keys(entries).map((id) => [id, policyOf(id)])),
    ...rest,
  };
}

function routes(modules: ModuleToBuild[], defaultCommunityId: string | null = null): Record<string, string> {
  const { table } = buildRevision(modules, [A, B], defaultCommunityId);
  const found: Record<string, string> = {};
  for (const rows of [table.ipv4, table.ipv6]) {
    for (let row = 0; row < rows.size; row++)
      found[formatPrefixAt(rows, row)] = table.labelSets[rows.labels[row]!]!.join(' ');
  }
  return found;
}

describe('buildRevision', () => {
  test('adjacent and nested prefixes merge within a community, across entries and modules', () => {
    const modules = [
      module({ x: ['11.0.0.0/25'], y: ['11.0.0.128/25', '11.0.0.64/26'] }),
      module({ z: ['11.0.1.0/24', '2600::/33', '2600:0:8000::/33'] }),
    ];
    expect(routes(modules)).toEqual({ '11.0.0.0/23': '64500:1', '2600::/32': '64500:1' });
  });

  test('prefixes never merge across communities, and a shared prefix carries both', () => {
    const modules = [
      module({ x: ['11.0.0.0/24', '12.0.0.0/24'] }),
      module({ y: ['11.0.1.0/24', '12.0.0.0/24'] }, { community_id: B.id }),
    ];
    expect(routes(modules)).toEqual({
      '11.0.0.0/24': '64500:1',
      '11.0.1.0/24': '64500:2',
      '12.0.0.0/24': '64500:1 64500:2',
    });
  });

  test("an entry's own community takes the place of the module's", () => {
    expect(
      routes([
        module({ x: ['11.0.0.0/24'], y: ['11.0.1.0/24'] }, { policies: { y: { community_id: B.id } } }),
      ]),
    ).toEqual({
      '11.0.0.0/24': '64500:1',
      '11.0.1.0/24': '64500:2',
    });
  });

  test('without a community the default one counts, and without that none', () => {
    const modules = [module({ x: ['11.0.0.0/24'] }, { community_id: null })];
    expect(routes(modules, B.id)).toEqual({ '11.0.0.0/24': '64500:2' });
    expect(routes(modules)).toEqual({ '11.0.0.0/24': '' });
  });

  test('an exclude module takes its addresses out of every community', () => {
    const modules = [
      module({ x: ['11.0.0.0/24'] }),
      module({ y: ['11.0.0.0/23'] }, { community_id: B.id }),
      module({ z: ['11.0.0.0/25', '11.0.1.7/32'] }, { purpose: 'exclude' }),
    ];
    const found = routes(modules);
    expect(found['11.0.0.128/25']).toBe('64500:1 64500:2');
    expect(Object.keys(found)).not.toContain('11.0.1.7/32');
    expect(found['11.0.1.128/25']).toBe('64500:2');
  });

  test('disabled and deleted entries, and families that a module does not announce, contribute nothing', () => {
    const entries = { on: ['11.0.0.0/24', '2600::/32'], off: ['12.0.0.0/24'], gone: ['13.0.0.0/24'] };
    const built = module(entries, { policies: { off: { enabled: false } }, families: ['ipv4'] });
    (built.entries as Map<string, EntryPolicy>).delete('gone');
    expect(routes([built])).toEqual({ '11.0.0.0/24': '64500:1' });
  });

  test('communities are told with their share', () => {
    const modules = [
      module({ x: ['11.0.0.0/24', '2600::/32'] }),
      module({ y: ['12.0.0.0/24'] }, { community_id: B.id }),
    ];
    expect(buildRevision(modules, [A, B], null).communities).toEqual([
      { community_id: A.id, community: A.community, title: 'A', prefix_count: { ipv4: 1, ipv6: 1 } },
      { community_id: B.id, community: B.community, title: 'B', prefix_count: { ipv4: 1, ipv6: 0 } },
    ]);
  });

  test('nothing gives an empty table', () => {
    expect(routes([])).toEqual({});
  });
});
