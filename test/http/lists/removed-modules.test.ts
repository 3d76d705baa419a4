/** A deleted module comes back with all that it had. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import { type Body, startService, type TestService } from '../service.ts';
import { aName, listsOf } from './removed-scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const { add, ranges, remove, restore, cidrsOf } = listsOf(() => service);

test('comes back as it was, with its id and the ids of its entries', async () => {
  const community = await service.make('/v1/communities', { community: '65000:11', title: 'eleven' });
  const module = await ranges([], {
    ...{ description: 'as it was', purpose: 'exclude', enabled: false, community_id: community.id },
    ...{ refresh_interval_seconds: 3600, families: ['ipv4'], can_be_empty: true },
  });
  await add(module.id, ['8.8.8.0/24', '1.1.1.0/24'], { note: 'mine', community_id: community.id });
  const path = `/v1/modules/${module.id}`;
  const before = (await service.call('GET', path)).body;
  const entries = (await service.call('GET', `${path}/ip-range-entries`)).body.items as Body[];
  expect((await remove(module.id)).status).toBe(204);
  const listed = await service.call(
    'GET',
    `/v1/removed-modules?q=${encodeURIComponent(String(module.name))}`,
  );
  expect(listed.body.items).toMatchObject([
    {
      id: module.id,
      name: module.name,
      type: 'IP_RANGES',
      purpose: 'exclude',
      enabled: false,
      entry_count: 2,
      removed_by: 'key:the operator',
    },
  ]);
  const back = await restore(module.id);
  expect(back, back.text).toMatchObject({
    status: 200,
    body: { id: module.id, name: module.name, restored: 2, expired: 0, left_out: [] },
  });
  const { updated_at: _, ...same } = before;
  expect((await service.call('GET', path)).body).toMatchObject(same);
  const after = (await service.call('GET', `${path}/ip-range-entries`)).body.items as Body[];
  expect(after.map(({ updated_at: _at, ...entry }) => entry)).toEqual(
    entries.map(({ updated_at: _at, ...entry }) => entry),
  );
  expect(
    (await service.call('GET', `/v1/removed-modules?q=${encodeURIComponent(String(module.name))}`)).body
      .items,
  ).toEqual([]);
});

test('is found by its id, among others that are asked for', async () => {
  const modules = [await ranges(['8.8.8.0/24']), await ranges(['8.8.8.0/24']), await ranges(['8.8.8.0/24'])];
  const [one, two, three] = modules.map(({ id }) => id) as [string, string, string];
  for (const id of [one, two, three]) expect((await remove(id)).status).toBe(204);
  const found = async (...ids: readonly string[]): Promise<unknown> => {
    const { body } = await service.call(
      'GET',
      `/v1/removed-modules?${ids.map((id) => `id=${id}`).join('&')}`,
    );
    return (body.items as Body[]).map(({ id }) => id);
  };
  expect(await found(two)).toEqual([two]);
  expect(await found(one, three)).toEqual([three, one]);
});

test('is deleted and restored any number of times, and a second restore says that it is there', async () => {
  const module = await ranges(['8.8.8.0/24']);
  for (let time = 0; time < 2; time++) {
    await remove(module.id);
    expect((await restore(module.id)).status).toBe(200);
    const again = await restore(module.id);
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(again.body.detail).toContain('key:the operator has restored it');
  }
  expect(await cidrsOf(module.id)).toEqual(['8.8.8.0/24']);
});

test('comes back once when two restore it at once', async () => {
  const module = await ranges(['8.8.8.0/24']);
  await remove(module.id);
  const answers = await Promise.all([restore(module.id), restore(module.id), restore(module.id)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await cidrsOf(module.id)).toEqual(['8.8.8.0/24']);
});

test('needs another name when its own was given away, in whatever case', async () => {
  const module = await ranges(['8.8.8.0/24']);
  await remove(module.id);
  const name = String(module.name);
  await service.make('/v1/modules', { name: name.toUpperCase(), type: 'DOMAINS' });
  expect(await restore(module.id)).toMatchObject({
    ...{ status: 409, body: { code: 'conflict', errors: [{ pointer: '/name' }] } },
  });
  expect(await restore(module.id, { name: name.toUpperCase() })).toMatchObject({ status: 409 });
  expect(await restore(module.id, { name: `${name} again` })).toMatchObject({
    ...{ status: 200, body: { name: `${name} again` } },
  });
});

test('never comes back without its communities by itself', async () => {
  const community = await service.make('/v1/communities', { community: '65000:666', title: 'blackhole' });
  const module = await ranges([], { community_id: community.id });
  await add(module.id, ['8.8.8.0/24'], { community_ids: [community.id] });
  await remove(module.id);
  expect((await service.call('DELETE', `/v1/communities/${community.id}`)).status).toBe(204);
  const refused = await restore(module.id);
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(refused.body.detail).toContain('65000:666');
  const back = await restore(module.id, { leave_out_missing: true });
  expect(back.body).toMatchObject({ restored: 1, left_out: ['65000:666'] });
  expect((await service.call('GET', `/v1/modules/${module.id}`)).body.community_id).toBeNull();
});

test('has the community again that was made anew with the same value', async () => {
  const body = { community: '65000:667', title: 'blackhole' };
  const community = await service.make('/v1/communities', body);
  const other = await service.make('/v1/communities', { community: '65000:668', title: 'stays' });
  const module = await ranges([], { community_id: community.id });
  await add(module.id, ['8.8.8.0/24'], { community_ids: [other.id, community.id] });
  await remove(module.id);
  await service.call('DELETE', `/v1/communities/${community.id}`);
  const anew = await service.make('/v1/communities', body);
  expect((await restore(module.id)).body).toMatchObject({ left_out: [] });
  expect((await service.call('GET', `/v1/modules/${module.id}`)).body.community_id).toBe(anew.id);
  const { body: entries } = await service.call('GET', `/v1/modules/${module.id}/ip-range-entries`);
  expect(entries.items).toMatchObject([{ community_ids: [other.id, anew.id] }]);
});

test('asks the resolvers again that it asked, found by their names', async () => {
  const profile = { name: 'the resolver', url: 'https://dns.example/dns-query' };
  const first = await service.make('/v1/doh-profiles', profile);
  const module = await service.make('/v1/modules', {
    ...{ name: aName(), type: 'DOMAINS', doh_profile_ids: [first.id] },
  });
  await remove(module.id);
  await service.call('DELETE', `/v1/doh-profiles/${first.id}`);
  const refused = await restore(module.id);
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.body.detail).toContain('the resolver');
  const again = await service.make('/v1/doh-profiles', profile);
  expect((await restore(module.id)).status).toBe(200);
  const { body } = await service.call('GET', `/v1/modules/${module.id}`);
  expect(body).toMatchObject({ doh_profile_ids: [again.id], doh_profile_id: again.id });
});

test('keeps what was accepted, held and collected of it, whatever is pruned meanwhile', async () => {
  const module = await service.make('/v1/modules', { name: aName(), type: 'AS_PREFIXES' });
  await service.make(`/v1/modules/${module.id}/as-entries`, { asn: 3333 });
  const { id: tenantId } = service.tenant;
  const { db } = service.database;
  const admin: typeof service.database.admin = (...asked) => service.database.admin(...asked);
  const hashOf = (byte: string): string => '\\x' + byte.repeat(32);
  const [collected, accepted, held, list] = [hashOf('ab'), hashOf('cd'), hashOf('ef'), hashOf('12')] as const;
  for (const hash of [collected, accepted, held])
    await admin(
      `INSERT INTO content (tenant_id, content_hash, manifest, block_hashes, prefix_count_ipv4, prefix_count_ipv6)
       VALUES ($1, $2, '', '{}', 0, 0)`,
      [tenantId, hash],
    );
  await admin("INSERT INTO entry_list (tenant_id, hash, entries) VALUES ($1, $2, '')", [tenantId, list]);
  const insert = (table: string, hash: string, columns = '', ...values: readonly unknown[]) =>
    admin(
      `INSERT INTO ${table} (tenant_id, module_id, content_hash${columns})
       VALUES (${['$1', '$2', '$3', ...values.map((_, i) => `$${i + 4}`)].join()})`,
      [tenantId, module.id, hash, ...values],
    );
  await insert('snapshot', collected);
  await insert('accepted_snapshot', accepted, ', entries_hash, left_out', list, [module.id]);
  await insert('held_snapshot', held, ', findings', '[]');
  await insert(
    'released_snapshot',
    held,
    ', codes, reason, released_by',
    ['bogon_prefix'],
    'as was said',
    'me',
  );
  await insert('rolled_back_snapshot', held);
  const tables = [
    'snapshot',
    'accepted_snapshot',
    'held_snapshot',
    'released_snapshot',
    'rolled_back_snapshot',
  ];
  const look = () =>
    Promise.all(tables.map((table) => admin(`SELECT * FROM ${table} WHERE module_id = $1`, [module.id])));
  const before = await look();
  expect(before.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1]);
  await remove(module.id);
  expect(await look()).toEqual([[], [], [], [], []]);
  await db.inTenant(tenantId, (tx) => pruneRevisions(tx, 0));
  expect((await restore(module.id)).body).toMatchObject({ is_collected_again: false });
  expect(await look()).toEqual(before);
  // Of contents that are gone all the same nothing is left: it is read again.
  await remove(module.id);
  await admin('DELETE FROM content WHERE tenant_id = $1 AND content_hash = $2', [tenantId, collected]);
  expect((await restore(module.id)).body).toMatchObject({ is_collected_again: true });
  expect((await look()).slice(0, 3)).toEqual([[], [], []]);
});

test('is pruned with its contents once it is forgotten', async () => {
  const { id: tenantId } = service.tenant;
  const { db } = service.database;
  const admin: typeof service.database.admin = (...asked) => service.database.admin(...asked);
  const hash = '\\x' + '77'.repeat(32);
  const isThere = async (): Promise<boolean> => {
    await db.inTenant(tenantId, (tx) => pruneRevisions(tx, 0));
    return (await admin('SELECT FROM content WHERE content_hash = $1', [hash])).length === 1;
  };
  const module = await ranges(['9.8.7.0/24']);
  await admin(
    `INSERT INTO content (tenant_id, content_hash, manifest, block_hashes, prefix_count_ipv4, prefix_count_ipv6)
     VALUES ($1, $2, '', '{}', 0, 0)`,
    [tenantId, hash],
  );
  await admin('UPDATE snapshot SET content_hash = $1 WHERE module_id = $2', [hash, module.id]);
  await admin(
    'INSERT INTO snapshot (tenant_id, module_id, content_hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [tenantId, module.id, hash],
  );
  await remove(module.id);
  expect(await isThere()).toBe(true);
  await admin('DELETE FROM removed_batch WHERE module_id = $1', [module.id]);
  expect(await isThere()).toBe(false);
});

test('has sources whose headers are encrypted all the time, and open again', async () => {
  const module = await service.make('/v1/modules', { name: aName(), type: 'CDN_SOURCES' });
  const source = {
    name: 's',
    url: 'http://127.0.0.1:9/list',
    headers: { Authorization: 'Bearer hidden-in-here' },
  };
  const made = await service.make(`/v1/modules/${module.id}/cdn-sources`, source);
  await remove(module.id);
  const kept = await service.database.admin<{ text: string }>(
    'SELECT entries::text AS text FROM removed_chunk c JOIN removed_batch b ON b.id = c.batch_id WHERE b.module_id = $1',
    [module.id],
  );
  expect(kept).toHaveLength(1);
  expect(kept[0]!.text).toContain('Authorization');
  expect(kept[0]!.text).not.toContain('hidden-in-here');
  await restore(module.id);
  // A merge opens what is there.
  const changed = await service.call('PATCH', `/v1/modules/${module.id}/cdn-sources/${made.id}`, {
    body: { headers: { 'X-Other': 'more' } },
  });
  expect(changed.body.headers).toEqual({ Authorization: null, 'X-Other': null });
});

test('is nobody else’s to see or restore', async () => {
  const module = await ranges(['8.8.8.0/24']);
  await remove(module.id);
  const key = service.other.keys.operator;
  expect((await service.call('GET', '/v1/removed-modules', { key })).body.items).toEqual([]);
  expect(await restore(module.id, undefined, { key })).toMatchObject({ status: 404 });
  expect(await restore(module.id, undefined, { key: service.tenant.keys.viewer })).toMatchObject({
    status: 403,
  });
  expect((await restore(module.id)).status).toBe(200);
});

test('is shown by a dry run, which restores nothing', async () => {
  const module = await ranges(['9.9.9.0/24']);
  await remove(module.id);

  const planned = await service.call('POST', `/v1/modules/${module.id}/restore?dry_run=true`);
  expect(planned.body, planned.text).toMatchObject({
    ...{ dry_run: true, body: { restored: 1 } },
    effect: { summary: { withdrawn: 0 } },
  });
  const { items } = planned.body.effect as { items: Body[] };
  expect(items.filter(({ prefix }) => prefix === '9.9.9.0/24')).toMatchObject([{ change: 'announced' }]);
  expect((await service.call('GET', `/v1/modules/${module.id}`)).status).toBe(404);
  expect((await restore(module.id)).status).toBe(200);
});

test('is refused where the tenant may not have it any more', async () => {
  const module = await ranges(['8.8.8.0/24']);
  await remove(module.id);
  const set = (policy: object) =>
    service.database.admin('UPDATE tenant SET policy = policy || $2 WHERE id = $1', [
      ...[service.tenant.id, JSON.stringify(policy)],
    ]);
  await set({ allowed_prefixes: ['1.0.0.0/8'] });
  const refused = await restore(module.id);
  await set({ allowed_prefixes: null });
  expect(refused, refused.text).toMatchObject({ status: 409, body: { code: 'tenant_policy' } });
  expect((await service.call('GET', `/v1/modules/${module.id}`)).status).toBe(404);
  const limit = (maximum: number) =>
    service.database.admin(
      `UPDATE tenant_quota SET maximum = $2 WHERE tenant_id = $1 AND resource = 'entries'`,
      [...[service.tenant.id, maximum]],
    );
  await limit(0);
  const tooMany = await restore(module.id);
  await limit(1_000_000);
  expect(tooMany.body).toMatchObject({ code: 'quota_exceeded' });
  expect((await restore(module.id)).status).toBe(200);
});

test('is in the audit log by its name and that of what came back', async () => {
  const module = await ranges(['8.8.8.0/24', '1.1.1.0/24']);
  await remove(module.id);
  await restore(module.id);
  const { body } = await service.call('GET', `/v1/audit?action=module.restore&limit=500`);
  const record = (body.items as Body[]).find(({ resource }) => (resource as Body).id === module.id);
  expect(record).toMatchObject({
    ...{
      action: 'module.restore',
      actor: 'key:the operator',
      resource: { type: 'module', name: module.name },
    },
    changes: { after: { restored: 2, restored_entries: ['8.8.8.0/24', '1.1.1.0/24'] } },
  });
});
test('nothing is remembered of a tenant that is deleted', async () => {
  const id = await service.database.createTenant();
  await service.dependencies.db.inTenant(id, async (tx) => {
    await sql`INSERT INTO module (tenant_id, id, name, type) VALUES (${id}, gen_random_uuid(), 'm', 'IP_RANGES')`.execute(
      tx.sql,
    );
  });
  await service.database.admin('DELETE FROM tenant WHERE id = $1', [id]);
  expect(await service.database.admin('SELECT FROM removed_batch WHERE tenant_id = $1', [id])).toEqual([]);
});
