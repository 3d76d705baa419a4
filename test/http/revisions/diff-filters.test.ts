/** Counts and filters of differences, against a plain oracle: routes as texts, addresses as BigInt ranges. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change, RevisionDiff } from '../../../src/api/revisions/diff.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { saveRevisionInputs } from '../../../src/store/revisions/revision-history.ts';
import { insertRevision } from '../../../src/store/revisions/revisions.ts';
import { times } from '../../fuzz.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';
import { startService, type TestService } from '../service.ts';

const COMMUNITIES = ['65000:1', '65000:2', '65000:3'] as const;
type Community = (typeof COMMUNITIES)[number];

let service: TestService;
const communityIds = new Map<Community, string>();
const moduleIds: string[] = [];

beforeAll(async () => {
  service = await startService();
  for (const community of COMMUNITIES)
    communityIds.set(community, (await service.make('/v1/communities', { community, title: community })).id);
  for (const name of ['a', 'b', 'c'])
    moduleIds.push((await service.make('/v1/modules', { name, type: 'CDN_SOURCES' })).id);
});
afterAll(() => service.close());

/** A revision as the oracle has it: communities by prefix, and what each module contributed. */
interface Plain {
  readonly routes: Readonly<Record<string, readonly Community[]>>;
  readonly modules: readonly (readonly string[])[];
}

function prefixOf(text: string): BigPrefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  const { family, words, length } = parsed.value;
  return BigPrefix.of(family, words, length);
}

async function store(tx: TenantTx, labelled: readonly (readonly [string, readonly string[]])[]) {
  const builder = new PrefixTableBuilder();
  for (const [text, labels] of labelled) {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    const { family, words, length } = parsed.value;
    for (const label of labels) builder.add(family, words, length, label);
  }
  const table = builder.build();
  const count = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  return { hash: await storeTable(tx, encodeTable(table), count), count };
}

function save({ routes, modules }: Plain): Promise<string> {
  return service.database.db.inTenant(service.tenant.id, async (tx) => {
    const { hash, count } = await store(tx, Object.entries(routes));
    const { id } = await insertRevision(tx, {
      ...{ state: 'ready', content_hash: hash, parent_id: null, rollback_of: null, prefix_count: count },
      trigger: { kind: 'manual', module_id: null, job_id: null, actor: 'test' },
      communities: COMMUNITIES.map((community) => ({
        ...{ community_id: communityIds.get(community)!, community, title: community },
        prefix_count: { ipv4: 0, ipv6: 0 },
      })),
      warnings: [],
    });
    const inputs = [];
    for (const [place, prefixes] of modules.entries()) {
      const snapshot = await store(
        tx,
        prefixes.map((prefix) => [prefix, ['entry']]),
      );
      inputs.push({
        ...{ module_id: moduleIds[place]!, content_hash: snapshot.hash, entries_hash: null, left_out: [] },
        ...{ name: null, policy_hash: null },
        ...({ purpose: 'announce', families: ['ipv4', 'ipv6'], released: [] } as const),
      });
    }
    await saveRevisionInputs(tx, id, inputs);
    return id;
  });
}

interface PlainChange {
  readonly prefix: string;
  readonly change: Change;
  readonly before: readonly Community[];
  readonly after: readonly Community[];
}

function changesOf(a: Plain, b: Plain): PlainChange[] {
  const prefixes = [...new Set([...Object.keys(a.routes), ...Object.keys(b.routes)])];
  const changes = prefixes.flatMap((prefix): PlainChange[] => {
    const [before, after] = [a.routes[prefix] ?? [], b.routes[prefix] ?? []];
    if (before.join() === after.join()) return [];
    const change = before.length === 0 ? 'announced' : after.length === 0 ? 'withdrawn' : 'changed';
    return [{ prefix, change, before, after }];
  });
  return changes.sort((x, y) => (prefixOf(x.prefix).text < prefixOf(y.prefix).text ? -1 : 1));
}

const isOf = (family: string) => (change: PlainChange) => prefixOf(change.prefix).family === family;

function sumOf(changes: readonly PlainChange[]) {
  const count = (kind: Change) => changes.filter(({ change }) => change === kind).length;
  return { announced: count('announced'), withdrawn: count('withdrawn'), changed: count('changed') };
}

function shareAddresses(a: BigPrefix, b: BigPrefix): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/** Whether the module contributed addresses of the route to either revision. */
function isOfModule(place: number, a: Plain, b: Plain) {
  const contributed = [...(a.modules[place] ?? []), ...(b.modules[place] ?? [])].map(prefixOf);
  return ({ prefix }: PlainChange) => contributed.some((other) => shareAddresses(prefixOf(prefix), other));
}

async function diff(a: string, b: string, query = ''): Promise<RevisionDiff> {
  const { status, text, body } = await service.call('GET', `/v1/revisions/${a}/diff/${b}?${query}`);
  expect(status, text).toBe(200);
  return body as unknown as RevisionDiff;
}

const reported = ({ items }: RevisionDiff) => items.map(({ prefix, change }) => `${change} ${prefix}`);
const plainly = (changes: readonly PlainChange[]) =>
  changes.map(({ prefix, change }) => `${change} ${prefix}`);

/** Few addresses, so that prefixes meet and nest. */
const prefix = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 20, max: 24 }))
    .map(([net, length]) => `8.8.${(net << 4) & ((0xff00 >> (length - 16)) & 0xff)}.0/${length}`),
  fc.integer({ min: 1, max: 8 }).map((net) => `2001:4860:${net}::/48`),
);
const communities: fc.Arbitrary<Community[]> = fc
  .subarray<Community>([...COMMUNITIES], { minLength: 1 })
  .map((some) => [...some].sort());
const plain = fc.record({
  routes: fc.dictionary(prefix, communities, { maxKeys: 12, noNullPrototype: true }),
  modules: fc.array(fc.uniqueArray(prefix, { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
});

test('sums and filters of generated revisions are those of the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(plain, plain, prefix, async (a, b, within) => {
      const [idA, idB] = [await save(a), await save(b)];
      const all = changesOf(a, b);
      const whole = await diff(idA, idB);
      expect(reported(whole)).toEqual(plainly(all));
      expect(whole.matching).toEqual(sumOf(all));
      const { by_family, by_community, by_module, ...sum } = whole.summary;
      expect(sum).toEqual(sumOf(all));
      expect(by_family).toEqual({
        ipv4: sumOf(all.filter(isOf('ipv4'))),
        ipv6: sumOf(all.filter(isOf('ipv6'))),
      });
      expect(by_community).toEqual(
        COMMUNITIES.flatMap((community) => {
          const has = (list: readonly Community[]) => list.includes(community);
          const announced = all.filter(({ before, after }) => !has(before) && has(after)).length;
          const withdrawn = all.filter(({ before, after }) => has(before) && !has(after)).length;
          const changed = all.filter(({ before, after }) => has(before) && has(after)).length;
          if (announced + withdrawn + changed === 0) return [];
          const community_id = communityIds.get(community)!;
          return [{ community_id, community, title: community, announced, withdrawn, changed }];
        }),
      );
      const modules = moduleIds
        .map((module_id, place) => ({
          ...{ module_id, name: 'abc'[place] },
          ...sumOf(all.filter(isOfModule(place, a, b))),
        }))
        .filter(({ announced, withdrawn, changed }) => announced + withdrawn + changed > 0);
      expect(new Set(by_module)).toEqual(new Set(modules));

      const filters: [string, (change: PlainChange) => boolean][] = [
        ['change=withdrawn&change=changed', ({ change }) => change !== 'announced'],
        ['family=ipv6', isOf('ipv6')],
        [
          `community_id=${communityIds.get('65000:2')}`,
          ({ before, after }) => before.includes('65000:2') || after.includes('65000:2'),
        ],
        [`module_id=${moduleIds[0]}`, isOfModule(0, a, b)],
        [
          `within=${within}`,
          (change) => {
            const [inner, outer] = [prefixOf(change.prefix), prefixOf(within)];
            return shareAddresses(inner, outer) && inner.length >= outer.length;
          },
        ],
      ];
      for (const [query, isMet] of filters) {
        const some = await diff(idA, idB, query);
        expect(reported(some), query).toEqual(plainly(all.filter(isMet)));
        expect(some.matching, query).toEqual(sumOf(all.filter(isMet)));
        expect(some.summary).toEqual(whole.summary);
      }
      const [first, second] = [filters[0]!, filters[1]!];
      const both = all.filter((change) => first[1](change) && second[1](change));
      expect(reported(await diff(idA, idB, `${first[0]}&${second[0]}`))).toEqual(plainly(both));
    }),
    { numRuns: times(12) },
  );
});

describe('a filter', () => {
  const routes = (from: number) =>
    Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`8.8.${from + i}.0/24`, ['65000:1'] as Community[]]),
    );

  test('goes with its cursor from page to page, and with no other', async () => {
    const [a, b] = [
      await save({ routes: routes(0), modules: [] }),
      await save({ routes: routes(20), modules: [] }),
    ];
    const all = await diff(a, b, 'change=announced');
    expect(all.items).toHaveLength(20);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: RevisionDiff = await diff(a, b, `change=announced&limit=7${next}`);
      expect(page.matching).toEqual({ announced: 20, withdrawn: 0, changed: 0 });
      seen.push(...reported(page));
      cursor = page.next_cursor;
      if (cursor !== null) {
        const other = await service.call(
          'GET',
          `/v1/revisions/${a}/diff/${b}?change=withdrawn&cursor=${cursor}`,
        );
        expect(other.body.code).toBe('invalid_cursor');
      }
    } while (cursor !== null);
    expect(seen).toEqual(reported(all));
  });

  test.each([
    ['within=x', '?within'],
    ['change=none', '?change'],
    ['community_id=0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77', '?community_id'],
    ['module_id=0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77', '?module_id'],
  ])('422: %s', async (query, pointer) => {
    const id = await save({ routes: routes(0), modules: [] });
    const { status, body } = await service.call('GET', `/v1/revisions/${id}/diff/${id}?${query}`);
    expect(status).toBe(422);
    expect((body.errors as { pointer: string }[])[0]!.pointer).toContain(pointer);
  });
});
