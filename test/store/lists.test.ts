import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  insertCommunity,
  listCommunities,
  updateCommunity,
  deleteCommunity,
  getCommunity,
} from '../../src/store/tenants/communities.ts';
import {
  insertCdnSources,
  listCdnSources,
  listSourcesToCollect,
  updateCdnSource,
} from '../../src/store/entries/cdn-sources.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { recordFetchOutcome } from '../../src/store/entries/fetched-entries.ts';
import {
  insertIpRangeEntries,
  readAllIpRanges,
  listIpRangeEntries,
  updateIpRangeEntry,
} from '../../src/store/entries/ip-range-entries.ts';
import {
  deleteModule,
  getModule,
  insertModule,
  listModules,
  updateModule,
} from '../../src/store/modules/modules.ts';
import { recordRefresh } from '../../src/store/modules/snapshots.ts';
import { insertPeer } from '../../src/store/speakers/peers.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { putSettings } from '../../src/store/tenants/settings.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let tenantId: string;
const secrets = new SecretBox(Buffer.alloc(32, 1));
const NOBODY = '01900000-0000-7000-8000-000000000000';

beforeAll(async () => {
  database = await createTestDatabase();
  tenantId = await database.createTenant();
});
afterAll(() => database.close());

function run<T>(work: (tx: TenantTx) => Promise<T>, tenant = tenantId): Promise<T> {
  return database.db.inTenant(tenant, work);
}

test('pages hold every row once, in order, while rows come and go', async () => {
  const tenant = await database.createTenant();
  const add = (n: number) =>
    run((tx) => insertCommunity(tx, { community: `65000:${n}`, title: `c${n}` }), tenant);
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) ids.push((await add(n)).resource.id);
  const first = await run((tx) => listCommunities(tx, { limit: 3 }), tenant);
  expect(first).toMatchObject({ has_more: true });
  expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  await run((tx) => deleteCommunity(tx, ids[2]!, null), tenant);
  await run((tx) => deleteCommunity(tx, ids[4]!, null), tenant);
  const late = (await add(99)).resource.id;
  const second = await run((tx) => listCommunities(tx, { limit: 3, cursor: first.next_cursor! }), tenant);
  expect(second.items.map(({ id }) => id)).toEqual([ids[3], ids[5], ids[6]]);
  const third = await run((tx) => listCommunities(tx, { limit: 3, cursor: second.next_cursor! }), tenant);
  expect(third).toEqual({
    items: [expect.objectContaining({ id: late })],
    next_cursor: null,
    has_more: false,
  });
});

test('a cursor is good for its own list, filters and tenant only', async () => {
  const tenant = await database.createTenant();
  for (const n of [1, 2]) await run((tx) => insertCommunity(tx, { community: `1:${n}`, title: 't' }), tenant);
  const { next_cursor: cursor } = await run((tx) => listCommunities(tx, { limit: 1 }), tenant);
  const refused = { code: 'invalid_cursor' };
  const own = (query: object) => run((tx) => listCommunities(tx, { ...query, cursor: cursor! }), tenant);
  expect((await own({ limit: 2 })).items).toHaveLength(1);
  await expect(own({ q: 't' })).rejects.toMatchObject(refused);
  await expect(run((tx) => listModules(tx, { cursor: cursor! }), tenant)).rejects.toMatchObject(refused);
  await expect(run((tx) => listCommunities(tx, { cursor: cursor! }))).rejects.toMatchObject(refused);
  for (const bad of ['', 'x', `${cursor}A`, `${cursor}=`, cursor!.slice(1)])
    await expect(
      run((tx) => listCommunities(tx, { cursor: bad }), tenant),
      bad,
    ).rejects.toMatchObject(refused);
});

test('a search means its text, not a pattern', async () => {
  const tenant = await database.createTenant();
  for (const [n, title] of ['100% Cloud', '100 Clouds', 'under_score', 'back\\slash'].entries())
    await run((tx) => insertCommunity(tx, { community: `1:${n}`, title }), tenant);
  const titles = async (q: string) =>
    (await run((tx) => listCommunities(tx, { q }), tenant)).items.map(({ title }) => title);
  expect(await titles('100%')).toEqual(['100% Cloud']);
  expect(await titles('CLOUD')).toEqual(['100% Cloud', '100 Clouds']);
  expect(await titles('_')).toEqual(['under_score']);
  expect(await titles('\\')).toEqual(['back\\slash']);
});

test('what is taken is reported with field and value', async () => {
  await run((tx) => insertCommunity(tx, { community: '65000:1', title: 'one' }));
  const again = run((tx) => insertCommunity(tx, { community: '65000:1', title: 'two' }));
  await expect(again).rejects.toMatchObject({ code: 'conflict', errors: [{ pointer: '/community' }] });
  await expect(again).rejects.toThrow('65000:1');
});

test('a reference to nothing is a fault of its field', async () => {
  const write = run((tx) => insertModule(tx, { name: 'dangling', type: 'DOMAINS', community_id: NOBODY }));
  await expect(write).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/community_id' }],
  });
});

test('a change counts up the version, and one that read an older version is refused', async () => {
  const { resource, version } = await run((tx) => insertCommunity(tx, { community: '65000:2', title: 'a' }));
  const changed = await run((tx) => updateCommunity(tx, resource.id, { title: 'b' }, version));
  expect(changed).toMatchObject({ version: version + 1, resource: { title: 'b', community: '65000:2' } });
  const late = run((tx) => updateCommunity(tx, resource.id, { title: 'c' }, version));
  await expect(late).rejects.toMatchObject({ code: 'precondition_failed' });
  await expect(run((tx) => deleteCommunity(tx, resource.id, version))).rejects.toMatchObject({
    code: 'precondition_failed',
  });
  await expect(run((tx) => updateCommunity(tx, NOBODY, { title: 'c' }, null))).rejects.toMatchObject({
    code: 'not_found',
  });
  await run((tx) => deleteCommunity(tx, resource.id, version + 1));
  await expect(run((tx) => getCommunity(tx, resource.id))).rejects.toMatchObject({ code: 'not_found' });
});

test('of two changes at once that read the same version, one holds', async () => {
  const { resource, version } = await run((tx) => insertCommunity(tx, { community: '65000:3', title: 'a' }));
  const both = await Promise.allSettled(
    ['b', 'c'].map((title) => run((tx) => updateCommunity(tx, resource.id, { title }, version))),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a community in use is not deleted, and the refusal names every kind of user', async () => {
  const { resource } = await run((tx) => insertCommunity(tx, { community: '65000:4', title: 'used' }));
  const community_id = resource.id;
  const remove = () => run((tx) => deleteCommunity(tx, community_id, null));
  const module = await run((tx) => insertModule(tx, { name: 'user', type: 'CDN_SOURCES', community_id }));
  await run((tx) =>
    insertCdnSources(tx, secrets, module.resource.id, [
      { name: 'src', url: 'https://a.example/', community_id },
    ]),
  );
  const ranges = await run((tx) => insertModule(tx, { name: 'ranges of user', type: 'IP_RANGES' }));
  await run((tx) => insertIpRangeEntries(tx, ranges.resource.id, [{ cidr: '8.8.4.0/24', community_id }]));
  await run((tx) =>
    insertPeer(tx, secrets, {
      name: 'router',
      address: '192.0.2.9',
      remote_asn: 1,
      community_ids: [community_id],
    }),
  );
  await run((tx) => putSettings(tx, { default_community_id: community_id }));
  const refusal: unknown = await remove().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'in_use' });
  for (const user of [
    'module user',
    'CDN source src',
    'range 8.8.4.0/24',
    'peer router',
    'default_community_id',
  ])
    expect(String(refusal)).toContain(user);
});

test('a module has its defaults, its counts, and loses its entries with itself', async () => {
  const { resource, version } = await run((tx) => insertModule(tx, { name: 'cloud', type: 'IP_RANGES' }));
  expect(resource).toMatchObject({
    ...{
      purpose: 'announce',
      enabled: true,
      families: ['ipv4', 'ipv6'],
      doh_profile_ids: [],
      doh_resolver_policy: null,
    },
    ...{ entry_count: 0, prefix_count: { ipv4: 0, ipv6: 0 }, last_refresh: null, next_refresh_at: null },
  });
  await run((tx) =>
    insertIpRangeEntries(tx, resource.id, [{ cidr: '2001:db8::/32' }, { cidr: '10.0.0.1/32' }]),
  );
  await run((tx) =>
    updateModule(
      tx,
      resource.id,
      { refresh_interval_seconds: 60, doh_resolver_policy: { quorum: 2 } },
      version,
    ),
  );
  await run((tx) =>
    recordRefresh(tx, resource.id, { status: 'ok', job_id: null, error: null }, { ipv4: 1, ipv6: 1 }, true),
  );
  const after = await run((tx) => getModule(tx, resource.id));
  expect(after).toMatchObject({
    version: version + 1,
    resource: { entry_count: 2, prefix_count: { ipv4: 1, ipv6: 1 } },
  });
  expect(after.resource).toMatchObject({
    last_refresh: { status: 'ok' },
    doh_resolver_policy: { quorum: 2 },
  });
  const due = Date.parse(after.resource.next_refresh_at!) - Date.parse(after.resource.last_refreshed_at!);
  expect(Math.abs(due - 60_000)).toBeLessThan(30_000);
  await run((tx) => deleteModule(tx, resource.id, null));
  expect(await run((tx) => readAllIpRanges(tx, resource.id))).toBe('');
});

test('values of headers are sealed, shown by name only, and open for collecting', async () => {
  const { resource: module } = await run((tx) => insertModule(tx, { name: 'sealed', type: 'CDN_SOURCES' }));
  const body = { name: 's', url: 'https://b.example/', headers: { Authorization: 'Bearer hunter2' } };
  const [source] = await run((tx) => insertCdnSources(tx, secrets, module.id, [body]));
  const { resource } = source!;
  expect(resource.headers).toEqual({ Authorization: null });
  const stored = await database.admin('SELECT cdn_source::text AS row FROM cdn_source WHERE id = $1', [
    resource.id,
  ]);
  expect(JSON.stringify(stored)).not.toContain('hunter2');
  const collect = () => run((tx) => listSourcesToCollect(tx, module.id, secrets));
  expect(await collect()).toMatchObject([{ id: resource.id, headers: { Authorization: 'Bearer hunter2' } }]);
  await run((tx) => updateCdnSource(tx, secrets, module.id, resource.id, { enabled: false }, null));
  expect(await collect()).toEqual([]);
});

test('what a source said last is forgotten when it is asked for something else', async () => {
  const { resource: module } = await run((tx) =>
    insertModule(tx, { name: 'conditional', type: 'CDN_SOURCES' }),
  );
  const [source] = await run((tx) =>
    insertCdnSources(tx, secrets, module.id, [{ name: 's', url: 'https://c.example/' }]),
  );
  const { resource } = source!;
  const outcome = {
    id: resource.id,
    version: 1,
    modified: true,
    status: 'ok',
    error: null,
    prefixCount: { ipv4: 3, ipv6: 0 },
    etag: '"1"',
    lastModified: 'Mon',
    rejected: 0,
    rejects: [],
  } as const;
  await run((tx) => recordFetchOutcome(tx, 'cdn_source', outcome));
  const conditions = async () => (await run((tx) => listSourcesToCollect(tx, module.id, secrets)))[0]!;
  await run((tx) => updateCdnSource(tx, secrets, module.id, resource.id, { name: 'renamed' }, null));
  expect(await conditions()).toMatchObject({ etag: '"1"', lastModified: 'Mon' });
  await run((tx) => updateCdnSource(tx, secrets, module.id, resource.id, { json_path: '$.x' }, null));
  expect(await conditions()).toMatchObject({ etag: null, lastModified: null });
  const { items } = await run((tx) => listCdnSources(tx, module.id, { status: 'ok' }));
  expect(items).toMatchObject([{ name: 'renamed', prefix_count: { ipv4: 3, ipv6: 0 }, last_error: null }]);
});

test('ranges go in all or none, ten thousand at once, in the words of RFC 5952', async () => {
  const { resource: module } = await run((tx) => insertModule(tx, { name: 'many', type: 'IP_RANGES' }));
  const bodies = Array.from({ length: 10_000 }, (_, n) => ({ cidr: `11.${n >> 8}.${n & 255}.0/24` }));
  const made = await run((tx) => insertIpRangeEntries(tx, module.id, bodies));
  expect(made.map(({ resource }) => resource.cidr)).toEqual(bodies.map(({ cidr }) => cidr));
  const overlap = run((tx) =>
    insertIpRangeEntries(tx, module.id, [{ cidr: '2001:db8::/48' }, { cidr: '11.0.5.0/24' }]),
  );
  await expect(overlap).rejects.toThrow('11.0.5.0/24');
  expect((await run((tx) => listIpRangeEntries(tx, module.id, { q: '2001' }))).items).toEqual([]);
  const [v6] = await run((tx) =>
    insertIpRangeEntries(tx, module.id, [{ cidr: '2001:DB8:0:0::/64', note: 'n' }]),
  );
  expect(v6!.resource).toMatchObject({ cidr: '2001:db8::/64', note: 'n', enabled: true });
  const change = run((tx) =>
    updateIpRangeEntry(tx, module.id, v6!.resource.id, { cidr: '11.0.1.0/24' }, null),
  );
  await expect(change).rejects.toMatchObject({ code: 'conflict', errors: [{ pointer: '/cidr' }] });
});

test('an entry is found below its own module only', async () => {
  const [one, two] = [
    await run((tx) => insertModule(tx, { name: 'own', type: 'IP_RANGES' })),
    await run((tx) => insertModule(tx, { name: 'other', type: 'IP_RANGES' })),
  ];
  const [entry] = await run((tx) => insertIpRangeEntries(tx, one.resource.id, [{ cidr: '9.9.9.0/24' }]));
  const through = run((tx) =>
    updateIpRangeEntry(tx, two.resource.id, entry!.resource.id, { note: 'x' }, null),
  );
  await expect(through).rejects.toMatchObject({ code: 'not_found' });
  await expect(run((tx) => listIpRangeEntries(tx, NOBODY, {}))).rejects.toMatchObject({ code: 'not_found' });
});
