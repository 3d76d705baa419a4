import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../../src/http/server/server.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { callApi, newMetrics, startService, type Answered, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('health, readiness and versions', async () => {
  expect((await service.call('GET', '/v1/health', { key: null })).body).toEqual({ status: 'ok' });
  expect((await service.call('GET', '/v1/ready', { key: null })).body).toMatchObject({
    status: 'ready',
    checks: { database: { ok: true } },
  });
  const version = { name: 'prefixcast', version: '0.0.0', api: 'v1' };
  expect((await service.call('GET', '/v1/version', { key: null })).body).toMatchObject(version);
  expect((await service.call('GET', '/version', { key: null })).body).toMatchObject(version);
});

test('not ready while the database has no room on its disk, from the first write on that finds that', async () => {
  const admin = (sql: string) => service.database.admin(sql);
  const full = (kind: string) => `CREATE FUNCTION ${kind}_full() RETURNS ${kind} LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`;
  for (const kind of ['trigger', 'event_trigger']) await admin(full(kind));
  await admin(
    'CREATE TRIGGER no_room BEFORE INSERT ON community FOR EACH ROW EXECUTE FUNCTION trigger_full()',
  );
  await admin(
    `CREATE EVENT TRIGGER no_room ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION event_trigger_full()`,
  );
  const ready = () => service.call('GET', '/v1/ready', { key: null });
  expect((await ready()).status).toBe(200);
  const body = { community: '65000:7', title: 'seven' };
  expect((await service.call('POST', '/v1/communities', { body })).status).toBe(503);
  const { status, body: problem } = await ready();
  expect(status).toBe(503);
  expect(problem).toMatchObject({
    code: 'database_unavailable',
    detail: 'The database has no room left on its disk. Nothing was changed.',
  });
  await admin('DROP EVENT TRIGGER no_room');
  await admin('DROP TRIGGER no_room ON community');
  expect((await ready()).status).toBe(200);
  expect((await service.call('POST', '/v1/communities', { body })).status).toBe(201);
});

describe('metrics', () => {
  test('count requests by template and status, and the state of jobs', async () => {
    const module = await service.make('/v1/modules', { name: 'metered', type: 'CDN_SOURCES' });
    await service.call('POST', `/v1/modules/${module.id}/refresh`);
    await service.call('GET', '/v1/modules/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77');
    await service.call('GET', '/no/such/path');
    const { text, headers } = await service.call('GET', '/metrics', { key: null });
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain(
      'http_requests_total{method="GET",route="/v1/modules/{module_id}",status="404"} 1',
    );
    expect(text).toContain('http_requests_total{method="GET",route="none",status="404"} 1');
    expect(text).toMatch(
      /http_request_duration_seconds_bucket\{le="0\.01",method="POST",route="\/v1\/modules",/,
    );
    expect(text).toContain('prefixcast_jobs{state="queued"} 1');
    expect(text).not.toContain(module.id);
  });
});

describe('without a database', () => {
  async function withoutDatabase(
    work: (call: (path: string, key?: string) => Promise<Answered>) => Promise<void>,
  ) {
    const db = openDatabase({ host: '/nonexistent', port: 1, user: 'nobody', database: 'none' });
    const server = await createServer({ ...service.dependencies, db, metrics: newMetrics() });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    try {
      await work((path, key) => callApi(url, 'GET', path, { key: key ?? null }));
    } finally {
      await server.close();
      await db.close();
    }
  }

  test('503 with Retry-After; health, version and metrics go on', async () => {
    await withoutDatabase(async (call) => {
      for (const answer of [await call('/v1/ready'), await call('/v1/modules', service.tenant.keys.viewer)]) {
        expect({ status: answer.status, code: answer.body.code }).toEqual({
          status: 503,
          code: 'database_unavailable',
        });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(answer.text).not.toContain('nonexistent');
      }
      for (const path of ['/v1/health', '/version', '/metrics']) expect((await call(path)).status).toBe(200);
    });
  });
});

test('requests recover by themselves when every connection was cut', async () => {
  expect((await service.call('GET', '/v1/modules')).status).toBe(200);
  await service.database.dropConnections();
  await expect.poll(async () => (await service.call('GET', '/v1/modules')).status).toBe(200);
  expect((await service.call('GET', '/v1/ready')).status).toBe(200);
});

test('while it closes, open connections receive 503 shutting_down, and health stays 200', async () => {
  const server = await createServer({ ...service.dependencies, metrics: newMetrics() });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Keeps the server draining until the test has looked.
  server.addHook('preClose', () => held);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const closed = server.close();
  const refused = await callApi(url, 'GET', '/v1/modules', { key: service.tenant.keys.viewer });
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 503,
    code: 'shutting_down',
  });
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await callApi(url, 'GET', '/v1/ready', {})).status).toBe(503);
  expect((await callApi(url, 'GET', '/v1/health', {})).status).toBe(200);
  release();
  await closed;
  await expect(
    new Promise((resolve, reject) => {
      connect(Number(new URL(url).port), '127.0.0.1')
        .on('connect', resolve)
        .on('error', reject);
    }),
  ).rejects.toThrow('ECONNREFUSED');
});

test('a request that runs when closing begins is answered', async () => {
  const module = await service.make('/v1/modules', { name: 'held up', type: 'IP_RANGES' });
  const server = await createServer({ ...service.dependencies, metrics: newMetrics() });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let locked = (): void => undefined;
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const lock = service.database.db.inTenant(service.tenant.id, async (tx) => {
    await tx.sql.selectFrom('module').select('id').where('id', '=', module.id).forUpdate().execute();
    locked();
    await held;
  });
  await isLocked;
  const waiting = callApi(url, 'PATCH', `/v1/modules/${module.id}`, {
    key: service.tenant.keys.operator,
    body: { description: 'late' },
  });
  const isWaiting = async () =>
    (
      await service.database.admin(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
    ).length > 0;
  await expect.poll(isWaiting).toBe(true);
  const closed = server.close();
  letGo();
  const answer = await waiting;
  expect(answer.body).toMatchObject({ id: module.id, description: 'late' });
  await Promise.all([closed, lock]);
});

test('500 internal_error reveals nothing internal to the caller, and everything to the log', async () => {
  await service.database.admin('ALTER TABLE community RENAME TO community_away');
  try {
    const { status, body, text } = await service.call('GET', '/v1/communities');
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal_error' });
    expect(text).not.toMatch(/relation|select|SQL|pg/i);
    const line = service.log.find(
      (entry) => entry.includes(String(body.request_id)) && entry.includes('"level":50'),
    );
    expect(line).toContain('does not exist');
  } finally {
    await service.database.admin('ALTER TABLE community_away RENAME TO community');
  }
});
