import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootstrap } from '../../../src/store/tenants/bootstrap.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { makeFixtures } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService();
  admin = service.tenant.keys.super_admin;
});
afterAll(() => service.close());

/** Long enough for every cache to have forgotten. */
const WITHIN = { interval: 50 };

interface Made {
  readonly id: string;
  readonly slug: string;
  /** Of its first operator. */
  readonly key: string;
}

/** Tables that have a row of the tenant. */
async function tablesWith(tenantId: string): Promise<string[]> {
  const tables = await service.database.admin<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'prefixcast' AND c.column_name = 'tenant_id' AND t.table_type = 'BASE TABLE'`,
    [],
  );
  const filled: string[] = [];
  for (const { name } of tables) {
    const rows = await service.database.admin(`SELECT 1 FROM ${name} WHERE tenant_id = $1 LIMIT 1`, [
      tenantId,
    ]);
    if (rows.length > 0) filled.push(name);
  }
  return filled;
}

async function makeTenant(more: Body = {}, policy: Body = OPEN_POLICY): Promise<Made> {
  const slug = `t-${randomBytes(4).toString('hex')}`;
  const { id, api_key } = await service.make('/v1/tenants', { name: 'Acme', slug, policy, ...more }, admin);
  return { id, slug, key: (api_key as { secret: string }).secret };
}

/** What a tenant has that goes with one that is deleted. */
async function addOneOfMany(key: string): Promise<void> {
  const make = (path: string, body: Body): Promise<Body> => service.make(path, body, key);
  const { id: community } = await make('/v1/communities', { community: '65000:7', title: 'Seven' });
  const { id: module } = await make('/v1/modules', { name: 'm', type: 'IP_RANGES', community_id: community });
  await make(`/v1/modules/${String(module)}/ip-range-entries`, { cidr: '9.9.9.0/24' });
  await make('/v1/speakers', { name: 's', local_asn: 64512 });
  await make('/v1/peers', { name: 'p', address: '192.0.2.213', remote_asn: 64513 });
  await make('/v1/feeds', { name: 'f', module_ids: [module] });
  expect((await service.call('POST', '/v1/revisions', { key })).status).toBe(202);
}

const change = (id: string, body: Body) => service.call('PATCH', `/v1/tenants/${id}`, { key: admin, body });
const statusOf = async (key: string) => (await service.call('GET', '/v1/modules', { key })).status;

async function suspend({ id, key }: Made): Promise<void> {
  expect((await change(id, { status: 'suspended' })).status).toBe(200);
  await expect.poll(() => statusOf(key), WITHIN).toBe(403);
}

describe('POST /v1/tenants', () => {
  test('201: a tenant with quotas, no speaker, and one operator key that is shown once', async () => {
    const { id, key } = await makeTenant({ quotas: { modules: 7 } });
    const session = await service.call('GET', '/v1/auth/session', { key });
    expect(session.body).toMatchObject({ tenant: { id, name: 'Acme' }, role: 'operator' });
    const read = await service.call('GET', `/v1/tenants/${id}`, { key: admin });
    expect(read.body).toMatchObject({
      status: 'active',
      quotas: { modules: 7, entries: 2_000_000, jobs_queued: 10_000 },
      usage: { modules: 0, entries: 0, speakers: 0, api_keys: 1 },
    });
    expect(read.text).not.toContain(key);
    expect((await service.call('GET', '/v1/speakers', { key })).body.items).toEqual([]);
    expect((await service.call('GET', '/v1/api-keys', { key })).body.items).toMatchObject([
      { name: 'operator', created_by: 'key:the super_admin' },
    ]);
  });

  test('409: the slug is taken', async () => {
    const { slug } = await makeTenant();
    const body = { name: 'Other', slug };
    const { status, body: problem } = await service.call('POST', '/v1/tenants', { key: admin, body });
    expect({ status, code: problem.code }).toEqual({ status: 409, code: 'conflict' });
    expect(problem.errors).toMatchObject([{ pointer: '/slug' }]);
  });

  test.each(['', 'Acme', '-acme', 'a_b', 'a'.repeat(64), 'ä'])('422: the slug %j', async (slug) => {
    const body = { name: 'x', slug };
    expect((await service.call('POST', '/v1/tenants', { key: admin, body })).status).toBe(422);
  });

  test('the key in the audit log and in the kept answer is not in clear', async () => {
    const { key } = await makeTenant();
    for (const table of ['audit_record', 'idempotency_key', 'api_key'])
      expect(JSON.stringify(await service.database.admin(`SELECT t::text FROM ${table} t`))).not.toContain(
        key,
      );
  });
});

describe('super roles', () => {
  test('super_viewer reads tenants and changes none; others do not see them', async () => {
    const { id } = await makeTenant();
    const { super_viewer, operator } = service.tenant.keys;
    expect((await service.call('GET', `/v1/tenants/${id}`, { key: super_viewer })).status).toBe(200);
    const patch = { key: super_viewer, body: { name: 'x' } };
    expect((await service.call('PATCH', `/v1/tenants/${id}`, patch)).status).toBe(403);
    expect((await service.call('GET', '/v1/tenants', { key: operator })).status).toBe(403);
  });

  test('do not see what belongs to another tenant, whatever X-Tenant-Id says', async () => {
    const { id, key } = await makeTenant();
    const module = await service.make('/v1/modules', { name: 'theirs', type: 'IP_RANGES' }, key);
    const headers = { 'x-tenant-id': id };
    const list = await service.call('GET', '/v1/modules', { key: admin, headers });
    expect(list.text).not.toContain(module.id);
    expect((await service.call('GET', `/v1/modules/${module.id}`, { key: admin, headers })).status).toBe(404);
    const session = await service.call('GET', '/v1/auth/session', { key: admin, headers });
    expect(session.body.tenant).toMatchObject({ id: service.tenant.id });
  });

  test('list tenants in pages, by status and text', async () => {
    const { slug } = await makeTenant();
    const found = await service.call('GET', `/v1/tenants?q=${slug}&status=active`, { key: admin });
    expect(found.body.items).toMatchObject([{ slug }]);
    const first = await service.call('GET', '/v1/tenants?limit=1', { key: admin });
    expect(first.body.has_more).toBe(true);
    const cursor = String(first.body.next_cursor);
    const second = await service.call('GET', `/v1/tenants?limit=1&cursor=${cursor}`, { key: admin });
    expect(second.body.items).not.toEqual(first.body.items);
  });
});

describe('a suspended tenant', () => {
  test('403 tenant_suspended on every route, and back again', async () => {
    const made = await makeTenant();
    expect(await statusOf(made.key)).toBe(200);
    await suspend(made);
    for (const path of ['/v1/modules', '/v1/auth/session', '/v1/api-keys'])
      expect((await service.call('GET', path, { key: made.key })).body.code).toBe('tenant_suspended');
    await change(made.id, { status: 'active' });
    await expect.poll(() => statusOf(made.key), WITHIN).toBe(200);
  });

  test('409: the default tenant is neither suspended nor deleted', async () => {
    const { secret } = mintApiKey('super_admin');
    const { tenant } = await service.database.db.inSystem((tx) => bootstrap(tx, secret, true));
    for (const refused of [
      await change(tenant.id, { status: 'suspended' }),
      await service.call('DELETE', `/v1/tenants/${tenant.id}?confirm=default`, { key: admin }),
    ])
      expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'conflict' });
  });
});

describe('DELETE /v1/tenants/{id}', () => {
  const remove = ({ id }: Pick<Made, 'id'>, confirm: string, key = admin) =>
    service.call('DELETE', `/v1/tenants/${id}?confirm=${confirm}`, { key });

  test('204: once it is suspended and its slug is given, with all that belongs to it', async () => {
    const made = await makeTenant();
    const module = await service.make('/v1/modules', { name: 'm', type: 'IP_RANGES' }, made.key);
    await service.make(`/v1/modules/${module.id}/ip-range-entries`, { cidr: '8.8.8.0/24' }, made.key);
    await service.make('/v1/speakers', { name: 's', local_asn: 64512 }, made.key);
    const early = await remove(made, made.slug);
    expect({ status: early.status, code: early.body.code }).toEqual({ status: 409, code: 'conflict' });
    await suspend(made);
    const wrong = await remove(made, 'another');
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors).toMatchObject([{ pointer: '?confirm' }]);
    expect((await remove(made, made.slug)).status).toBe(204);
    expect((await remove(made, made.slug)).status).toBe(404);
    expect((await service.call('GET', `/v1/tenants/${made.id}`, { key: admin })).status).toBe(404);
    await expect.poll(() => statusOf(made.key), WITHIN).toBe(401);
    for (const table of ['module', 'ip_range_entry', 'speaker', 'api_key', 'tenant_quota'])
      expect(await service.database.admin(`SELECT 1 FROM ${table} WHERE tenant_id = $1`, [made.id])).toEqual(
        [],
      );
  });

  test('204: with one of everything, feeds, firewalls, webhooks and nodes too, and nothing of it stays', async () => {
    const made = await makeTenant();
    await makeFixtures(service, { id: made.id, keys: { ...service.other.keys, operator: made.key } });
    const neighbour = await makeTenant();
    await addOneOfMany(neighbour.key);
    const ofNeighbour = await tablesWith(neighbour.id);
    const names = ['community', 'feed', 'firewall_client', 'firewall_rule', 'job', 'maintenance_policy'];
    const later = ['module', 'peer', 'revision', 'speaker', 'webhook', 'webhook_delivery', 'webhook_turn'];
    expect(await tablesWith(made.id)).toEqual(expect.arrayContaining([...names, ...later]));
    await suspend(made);
    expect(await remove(made, made.slug)).toMatchObject({ status: 204, text: '' });
    expect(await tablesWith(made.id)).toEqual([]);
    // The deletion runs across tenants.
    expect(ofNeighbour).toEqual(expect.arrayContaining(['feed', 'ip_range_entry', 'job', 'peer', 'speaker']));
    expect(await tablesWith(neighbour.id)).toEqual(expect.arrayContaining(ofNeighbour));
  });

  test('409: a tenant does not delete itself', async () => {
    const { id, keys } = service.other;
    const [row] = await service.database.admin<{ slug: string }>('SELECT slug FROM tenant WHERE id = $1', [
      id,
    ]);
    const { status, body } = await remove({ id }, row!.slug, keys.super_admin);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
  });

  test('412: not when it has been changed since', async () => {
    const made = await makeTenant();
    const path = `/v1/tenants/${made.id}`;
    const tag = (await service.call('GET', path, { key: admin })).headers.get('etag')!;
    await suspend(made);
    const stale = { key: admin, headers: { 'if-match': tag } };
    expect((await service.call('DELETE', `${path}?confirm=${made.slug}`, stale)).status).toBe(412);
    expect((await service.call('PATCH', path, { ...stale, body: { name: 'x' } })).status).toBe(412);
  });
});

describe('quotas', () => {
  test('409 quota_exceeded: the limit and the use are reported, and a super_admin raises it', async () => {
    const { id, key } = await makeTenant({ quotas: { modules: 1 } });
    const add = (name: string) =>
      service.call('POST', '/v1/modules', { key, body: { name, type: 'IP_RANGES' } });
    expect((await add('a')).status).toBe(201);
    const refused = await add('b');
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 409,
      code: 'quota_exceeded',
    });
    expect(refused.body.detail).toContain('may have 1 and has 1');
    await change(id, { quotas: { modules: 2 } });
    expect((await add('b')).status).toBe(201);
    const { body } = await service.call('GET', `/v1/tenants/${id}`, { key: admin });
    expect(body).toMatchObject({ quotas: { modules: 2 }, usage: { modules: 2 } });
  });

  test('200: one resource of one tenant changes, and nothing of any other', async () => {
    const [one, other] = [await makeTenant({ quotas: { feeds: 5, modules: 6 } }), await makeTenant({})];
    const quotasOf = async (id: string): Promise<unknown> =>
      (await service.call('GET', `/v1/tenants/${id}`, { key: admin })).body.quotas;
    const before = await quotasOf(other.id);
    await change(one.id, { quotas: { feeds: 3 } });
    expect(await quotasOf(one.id)).toMatchObject({ feeds: 3, modules: 6 });
    expect(await quotasOf(other.id)).toEqual(before);
  });

  test('409 quota_exceeded: of entries at once, all or none', async () => {
    const { id, key } = await makeTenant({ quotas: { entries: 3 } });
    const module = await service.make('/v1/modules', { name: 'm', type: 'IP_RANGES' }, key);
    const path = `/v1/modules/${module.id}/ip-range-entries`;
    const many = { items: [1, 2, 3, 4].map((n) => ({ cidr: `8.8.${n}.0/24` })) };
    expect((await service.call('POST', path, { key, body: many })).body.code).toBe('quota_exceeded');
    expect((await service.call('POST', path, { key, body: { items: many.items.slice(1) } })).status).toBe(
      201,
    );
    const { body } = await service.call('GET', `/v1/tenants/${id}`, { key: admin });
    expect(body).toMatchObject({ usage: { entries: 3 } });
  });
});
