import { afterAll, beforeAll, expect, test } from 'vitest';
import { plantKey, startService, type Body, type TestService } from '../service.ts';

const METRICS = '/v1/postgres/metrics';
const MAINTENANCE = '/v1/postgres/maintenance';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('200: whoever looks after the installation reads how PostgreSQL is', async () => {
  const { super_viewer: key } = service.tenant.keys;
  const { status, body } = await service.call('GET', METRICS, { key });
  expect(status).toBe(200);
  expect((body.tables as Body[]).map(({ name }) => name)).toContain('audit_record');
  expect(body.unavailable).toEqual([]);
});

test('403: operators of other tenants than home', async () => {
  const answers = [
    await service.call('GET', METRICS),
    await service.call('POST', MAINTENANCE, { body: { operation: 'vacuum' } }),
  ];
  for (const { status, body } of answers)
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'home_tenant_only' });
});

test('an operator of the home tenant may, a viewer of it reads only', async () => {
  const { database } = service;
  const home = await database.createTenant('default');
  for (const [role, read, write] of [
    ['operator', 200, 202],
    ['viewer', 200, 403],
  ] as const) {
    const { secret: key } = await plantKey(database, home, role);
    expect((await service.call('GET', METRICS, { key })).status).toBe(read);
    const asked = await service.call('POST', MAINTENANCE, {
      key,
      body: { operation: 'analyze', table: 'setting' },
    });
    expect(asked.status).toBe(write);
    if (write === 202) await service.call('POST', `/v1/jobs/${String(asked.body.id)}/cancel`, { key });
  }
  const { super_viewer: key } = service.tenant.keys;
  expect((await service.call('POST', MAINTENANCE, { key, body: { operation: 'analyze' } })).status).toBe(403);
});

test('202, then 409 until it has ended; a cancelled one is none', async () => {
  const { super_admin: key } = service.tenant.keys;
  const ask = (body: object) => service.call('POST', MAINTENANCE, { key, body });
  for (const table of ['pg_class', 'job; DROP TABLE job', 'Job']) {
    const { status, body } = await ask({ operation: 'vacuum', table });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: '/table' }]);
  }
  const { status, body } = await ask({ operation: 'reindex', table: 'pgboss.queue' });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    type: 'postgres_maintenance',
    state: 'queued',
    requested_by: 'key:the super_admin',
  });
  expect((await ask({ operation: 'vacuum' })).body.code).toBe('maintenance_running');
  await service.call('POST', `/v1/jobs/${String(body.id)}/cancel`, { key });
  expect((await ask({ operation: 'vacuum' })).status).toBe(202);
});
