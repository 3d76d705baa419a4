/**
 * What is encrypted for a row, and nobody can open any more: a fault of its owner alone. Sources, resolvers, peers and webhooks have tests of
 * their own (`damaged-…` in test/control).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTenant, startService, type Body, type TestService, type TestTenant } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Changes a bit of what is stored, as another key or a bad disk would. */
const damage = (table: string, column: string, tenantId: string): Promise<unknown> =>
  service.database.admin(
    `UPDATE ${table} SET ${column} = set_byte(${column}, 30, get_byte(${column}, 30) # 1) WHERE tenant_id = $1`,
    [tenantId],
  );

test('these columns hold such values: a new one needs a test of what its damage does', async () => {
  const found = (await service.database.admin(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'prefixcast' AND column_name LIKE '%sealed' ORDER BY 1`,
  )) as { name: string }[];
  expect(found.map(({ name }) => name)).toEqual([
    'cdn_source.headers_sealed', // test/control/collection/damaged-headers.test.ts
    'doh_profile.headers_sealed', // the same
    'geofeed_entry.headers_sealed', // below
    'peer.password_sealed', // test/control/speakers/damaged-password.test.ts
    'signing_key.private_sealed', // below, as is idempotency_key.answer
    'speaker_bundle.sealed', // test/http/nodes/damaged-bundle.test.ts
    'webhook.secret_sealed', // test/control/webhooks/damaged-secret.test.ts
  ]);
});

test('the kept answer of an Idempotency-Key: the change is not made twice, and it is said why', async () => {
  const { tenant } = service;
  const send = (): ReturnType<TestService['call']> =>
    service.call('POST', '/v1/communities', {
      body: { community: '64500:7', title: 'kept' },
      headers: { 'idempotency-key': 'damaged' },
    });
  const first = await send();
  expect(first.status, first.text).toBe(201);
  expect((await send()).headers.get('idempotency-replayed')).toBe('true');
  await damage('idempotency_key', 'answer', tenant.id);
  expect(await send()).toMatchObject({
    status: 422,
    body: {
      code: 'idempotency_key_reused',
      detail: expect.stringContaining('has been carried out') as string,
    },
  });
});

test('headers of a geofeed: what stays would be sent without its value, so each is set again', async () => {
  const { tenant } = service;
  const module = await service.make('/v1/modules', { name: 'geo', type: 'GEOFEED' });
  const path = `/v1/modules/${module.id}/geofeed-entries`;
  const headers = { 'X-Token': 'hunter2', 'X-Name': 'us' };
  const { id } = await service.make(path, {
    name: 'x',
    url: 'https://geo.example.net/',
    countries: ['DE'],
    headers,
  });
  await damage('geofeed_entry', 'headers_sealed', tenant.id);
  const change = (given: Body): ReturnType<TestService['call']> =>
    service.call('PATCH', `${path}/${id}`, { body: { headers: given } });
  expect(await change({ 'X-Token': 'hunter3' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/headers', detail: expect.stringContaining('X-Name as well') as string }] },
  });
  const shown = await service.call('GET', `${path}/${id}`);
  expect(shown.status, shown.text).toBe(200);
  expect((await change({ 'X-Token': 'hunter3', 'X-Name': null })).status).toBe(200);
});

test('the key that signs: its tenant is told to rotate it, and no other notices', async () => {
  const host = async ({ keys }: TestTenant): Promise<{ readonly path: string; readonly key: string }> => {
    const { token } = (
      await service.call('POST', '/v1/firewall/enrollment-tokens', { key: keys.operator, body: {} })
    ).body as { token: string };
    const enrolled = await service.call('POST', '/v1/firewall/clients/enroll', {
      key: token,
      body: { hostname: 'web-1', version: '1.0.0' },
    });
    expect(enrolled.status, enrolled.text).toBe(201);
    const { client_id: id, api_key: made } = enrolled.body as {
      client_id: string;
      api_key: { secret: string };
    };
    return { path: `/v1/firewall/clients/${id}/ruleset`, key: made.secret };
  };
  const [own, theirs] = [await makeTenant(service.database), await makeTenant(service.database)];
  const hosts = { own: await host(own), theirs: await host(theirs) };
  const pull = ({ path, key }: (typeof hosts)['own']) => service.call('GET', path, { key });
  expect((await pull(hosts.own)).status).toBe(200);

  await damage('signing_key', 'private_sealed', own.id);
  const refused = await pull(hosts.own);
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(refused.body.detail).toContain('rotate');
  expect((await pull(hosts.theirs)).status).toBe(200);
  const keys = await service.call('GET', '/v1/bundles/signing-key', { key: own.keys.operator });
  expect(keys.status, keys.text).toBe(200);
  expect((await service.call('GET', '/v1/firewall/install-context', { key: own.keys.operator })).status).toBe(
    200,
  );

  const rotated = await service.call('POST', '/v1/bundles/signing-key/rotate', {
    key: own.keys.operator,
    body: { announce_seconds: 0 },
  });
  expect(rotated.status, rotated.text).toBeLessThan(300);
  expect((await pull(hosts.own)).status).toBe(200);
  const faults = service.log
    .map((line) => JSON.parse(line) as Body)
    .filter(({ level }) => Number(level) > 40);
  expect(faults).toEqual([]);
});
