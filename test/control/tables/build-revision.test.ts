import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BuiltRevision,
  type ModuleToBuild,
  buildRevision,
  contributionsOf,
  policyOf,
} from '../../../src/control/tables/build-revision.ts';
import { formatPrefixAt, parsePrefix } from '../../../src/core/prefix.ts';
import { idTableOf } from '../../../src/core/stored/id-table.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { cutTable } from '../../../src/core/stored/table-cut.ts';
import { times } from '../../fuzz.ts';

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

interface TestModule extends ModuleToBuild {
  readonly snapshot: PrefixTable;
  /** By id; disabled and deleted ones are left out, as the store leaves them out. */
  readonly entries: Readonly<Record<string, string | null>>;
}

/** A module whose entries are enabled and without a community of their own, unless `communities` or `without` say otherwise. */
function module(
  entries: Record<string, string[]>,
  more: Partial<ModuleToBuild> & { communities?: Record<string, string>; without?: string[] } = {},
): TestModule {
  const { communities = {}, without = [], ...rest } = more;
  const enabled = Object.keys(entries).filter((id) => !without.includes(id));
  return {
    purpose: 'announce',
    families: ['ipv4', 'ipv6'],
    community_id: A.id,
    snapshot: snapshot(entries),
    entries: Object.fromEntries(enabled.map((id) => [id, communities[id] ?? null])),
    ...rest,
  };
}

function build(modules: TestModule[], defaultCommunityId: string | null = null): BuiltRevision {
  const shares = modules.map((one) => {
    const groups = Object.entries(
      Object.groupBy(Object.entries(one.entries), ([, community]) => community ?? ''),
    ).map(([community, some]) => ({
      community_ids: community === '' ? [] : [community],
      entry_ids: some!.map(([id]) => id).join(','),
    }));
    const policy = policyOf(one, groups, [A, B], defaultCommunityId);
    return { purpose: one.purpose, contributions: contributionsOf(policy, one.snapshot) };
  });
  return buildRevision(shares, [A, B]);
}

function routes(modules: TestModule[], defaultCommunityId: string | null = null): Record<string, string> {
  const { table } = build(modules, defaultCommunityId);
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
      routes([module({ x: ['11.0.0.0/24'], y: ['11.0.1.0/24'] }, { communities: { y: B.id } })]),
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
    const built = module(entries, { without: ['off', 'gone'], families: ['ipv4'] });
    expect(routes([built])).toEqual({ '11.0.0.0/24': '64500:1' });
  });

  test('communities are reported with their share', () => {
    const modules = [
      module({ x: ['11.0.0.0/24', '2600::/32'] }),
      module({ y: ['12.0.0.0/24'] }, { community_id: B.id }),
    ];
    expect(build(modules).communities).toEqual([
      { community_id: A.id, community: A.community, title: 'A', prefix_count: { ipv4: 1, ipv6: 1 } },
      { community_id: B.id, community: B.community, title: 'B', prefix_count: { ipv4: 1, ipv6: 0 } },
    ]);
  });

  test('nothing gives an empty table', () => {
    expect(routes([])).toEqual({});
  });
});

test('a snapshot of ranges contributes the same as ids and as labels, whoever counts', () => {
  const ids = Array.from({ length: 40 }, (_, at) => {
    const hex = createHash('sha256').update(`${at}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
  });
  const table = snapshot(
    Object.fromEntries(ids.map((id, at) => [id, [at % 5 === 0 ? `2a00:${at + 1}::/32` : `45.0.${at}.0/24`]])),
  );
  const asIds = idTableOf(table, cutTable(table))!;
  const choice = fc.constantFrom('none', 'A', 'B', 'both', 'besides');
  fc.assert(
    fc.property(
      fc.array(choice, { minLength: 40, maxLength: 40 }),
      fc.option(fc.constantFrom([A.community], [A.community, B.community], [null]), { nil: null }),
      fc.constantFrom<('ipv4' | 'ipv6')[]>(['ipv4', 'ipv6'], ['ipv6']),
      (choices, rest, families) => {
        const of = (name: string): string[] => ids.filter((_, at) => choices[at] === name).sort();
        const gone = '00000000-0000-7000-8000-000000000000';
        const groups = [
          { communities: [A.community], entryIds: [gone, ...of('A')].join(',') },
          { communities: [B.community], entryIds: of('B').join(',') },
          { communities: [A.community, B.community], entryIds: of('both').join(',') },
        ].filter(({ entryIds }) => entryIds !== '');
        const more = rest === null ? {} : { rest: { communities: rest, besides: of('besides') } };
        const policy = { purpose: 'announce' as const, families, groups, ...more };
        expect(contributionsOf(policy, asIds)).toEqual(contributionsOf(policy, table));
      },
    ),
    { numRuns: times(100) },
  );
});
