import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPortal } from '../../../src/control/audit/audit-portal.ts';
import { deliverAudit } from '../../../src/control/audit/deliver-audit.ts';
import { observeAuditOutbox } from '../../../src/http/metrics/state-metrics.ts';
import { recordAudit } from '../../../src/store/audit/audit.ts';
import { readAuditBacklog } from '../../../src/store/audit/audit-outbox.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';
import { waitFor } from '../../daemons/wait.ts';
import { testProgram } from '../../program.ts';
import { firstArrivals, startReceiver, type Receiver } from '../outbox/receiver.ts';

const SECRET = 'ingest-secret-0123456789';

let database: TestDatabase;
let tenant: string;
let portal: Receiver;
let deliveries: ReturnType<typeof deliverAudit>[] = [];
let faults: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  faults = [];
  await database.admin('DELETE FROM audit_record');
  await database.admin('DELETE FROM audit_delivery');
  tenant = await database.createTenant();
  portal = await startReceiver();
});
afterEach(async () => {
  for (const delivery of deliveries) await delivery.close();
  deliveries = [];
  await portal.close();
});

function deliver(timeoutMs = 10_000): ReturnType<typeof deliverAudit> {
  const delivery = deliverAudit({
    db: database.db,
    portal: openPortal({ url: portal.url, secret: SECRET }, timeoutMs),
    onFault: (_tenantId, detail) => faults.push(detail),
    pollMs: 20,
    longestDelaySeconds: 0.1,
  });
  deliveries.push(delivery);
  return delivery;
}

/** Writes records, each in a transaction of its own; answers their ids in that order. */
async function write(count: number, tenantId = tenant): Promise<string[]> {
  for (let i = 0; i < count; i++)
    await database.db.inTenant(tenantId, (tx) =>
      recordAudit(tx, {
        actor: 'cli',
        action: 'module.create',
        resource: { id: String(i), name: `module ${i}` },
        changes: { after: { name: `module ${i}`, password: 'planted-secret' } },
      }),
    );
  const rows = await database.admin<{ record_id: string }>(
    'SELECT record_id FROM audit_outbox WHERE tenant_id = $1 ORDER BY sequence',
    [tenantId],
  );
  return rows.map(({ record_id: id }) => id);
}

const isSent = (): Promise<true> =>
  waitFor(async () => (await database.db.inSystem(readAuditBacklog)).unsent === 0 || undefined, {
    what: 'an empty outbox',
    details: () => faults.slice(-5).join('\n'),
  });

const takenBy = (tenantId: string): string[] =>
  firstArrivals(portal.taken.filter(({ record }) => (record.tenant as { id: string }).id === tenantId));

test('each record is sent once, in order, with its tenant, the secret and a key against repetition', async () => {
  const ids = await write(30);
  const other = await database.createTenant();
  const otherIds = await write(30, other);
  deliver();
  await isSent();
  expect(portal.requests).toHaveLength(60);
  expect(takenBy(tenant)).toEqual(ids);
  expect(takenBy(other)).toEqual(otherIds);
  const [first] = portal.requests.filter(({ record }) => record.id === ids[0]);
  expect(first!.url).toBe('/api/v1/ingest/audit');
  expect(first!.headers).toMatchObject({
    authorization: `Bearer ${SECRET}`,
    'content-type': 'application/json',
    'idempotency-key': ids[0],
  });
  expect(first!.record).toMatchObject({
    source_app: 'bgp',
    tenant: { id: tenant },
    actor: 'cli',
    action: 'module.create',
    severity: 'info',
    resource: { type: 'module', id: '0', name: 'module 0' },
    changes: { before: null, after: { name: 'module 0', password: '***' } },
  });
  expect(portal.requests.map(({ text }) => text).join()).not.toContain('planted');
});

test('nothing is lost while the portal is down, and all comes in order when it is back', async () => {
  const { port } = portal;
  await portal.close();
  const ids = await write(20);
  deliver();
  await waitFor(() => faults.length > 3, { what: 'some failures' });
  expect(faults[0]).toMatch(/took no record, the next attempt is in 1 s: .*ECONNREFUSED/);
  expect(await database.db.inSystem(readAuditBacklog)).toMatchObject({ unsent: 20, refused: 0 });
  portal = await startReceiver(port);
  await isSent();
  expect(portal.taken.map(({ record }) => record.id)).toEqual(ids);
});

describe('whatever the portal does, every record arrives and none overtakes another', () => {
  test.each<[string, Receiver['react']]>([
    ['answers 500 now and then', (_, n) => (n % 3 === 0 ? 202 : 500)],
    ['answers 503 and 429', (_, n) => [503, 429, 202][n % 3]!],
    ['resets connections', (_, n) => (n % 2 === 0 ? 200 : 'reset')],
    ['takes records and loses its answers', (_, n) => (n % 2 === 0 ? 200 : 'reset after taking')],
    ['says nothing', (_, n) => (n % 4 === 1 ? 'silence' : 202)],
    ['redirects', (_, n) => (n % 2 === 0 ? 202 : 302)],
    ['knows the secret only at the third try', (_, n) => (n > 2 ? 202 : 401)],
  ])('%s', async (_name, react) => {
    portal.react = react;
    const ids = await write(12);
    deliver(300);
    await isSent();
    expect(firstArrivals(portal.taken)).toEqual(ids);
    expect(firstArrivals(portal.requests)).toEqual(ids);
    expect(faults.join()).not.toContain(SECRET);
  });
});

test('what the portal refuses permanently is kept aside, reported, and holds nothing up', async () => {
  const ids = await write(10);
  portal.react = ({ record }) => (record.id === ids[3] ? 422 : 202);
  deliver();
  await isSent();
  expect(takenBy(tenant)).toEqual(ids.filter((id) => id !== ids[3]));
  expect(faults).toEqual([
    `The portal refused the audit record ${ids[3]}. The service keeps it, and does not send it again: the portal answered 422: said by the receiver`,
  ]);
  expect(await database.db.inSystem(readAuditBacklog)).toEqual({ unsent: 0, refused: 1, oldestSeconds: 0 });
});

test('connections to the database that break in the middle cost no record and no order', async () => {
  const ids = await write(60);
  portal.react = (_, n) => {
    if (n % 15 === 0) void database.dropConnections();
    return 202;
  };
  deliver();
  await isSent();
  expect(firstArrivals(portal.taken)).toEqual(ids);
});

test('several senders on one database send each record once', async () => {
  const tenants = [tenant, await database.createTenant(), await database.createTenant()];
  const ids = new Map<string, string[]>();
  for (const id of tenants) ids.set(id, await write(40, id));
  for (let i = 0; i < 3; i++) deliver();
  await isSent();
  expect(portal.requests).toHaveLength(120);
  for (const id of tenants) expect(takenBy(id)).toEqual(ids.get(id));
});

test('a change that is committed late is not overtaken by one that began after it', async () => {
  let commit = (): void => undefined;
  const committed = new Promise<void>((resolve) => (commit = resolve));
  let written = (): void => undefined;
  const isWritten = new Promise<void>((resolve) => (written = resolve));
  const late = database.db.inTenant(tenant, async (tx) => {
    await recordAudit(tx, { actor: 'cli', action: 'module.create', resource: { name: 'early' } });
    written();
    await committed;
  });
  await isWritten;
  await write(3);
  deliver();
  await sleep(200); // time for ten looks, all of which must leave the three alone
  expect(portal.requests).toEqual([]);
  commit();
  await late;
  await isSent();
  const names = portal.taken.map(({ record }) => (record.resource as { name: string }).name);
  expect(names).toEqual(['early', 'module 0', 'module 1', 'module 2']);
});

test('a stop lets the next sender go on at once', async () => {
  const ids = await write(5);
  portal.react = (_, n) => (n === 2 ? 'silence' : 202);
  const first = deliver();
  await waitFor(() => portal.requests.length === 2, { what: 'the record that gets no answer' });
  await first.close();
  const [lease] = await database.admin<{ free: boolean }>(
    'SELECT lease_expires_at <= clock_timestamp() AS free FROM audit_delivery',
  );
  expect(lease).toEqual({ free: true });
  deliver();
  await isSent();
  expect(firstArrivals(portal.taken)).toEqual(ids);
});

test('metrics report how much waits, for how long, and what was refused', async () => {
  const registry = new Registry();
  observeAuditOutbox(database.db, registry, { warn: () => undefined });
  const [refused] = await write(3);
  await database.admin(
    "UPDATE audit_outbox SET queued_at = now() - interval '1 hour', refused_at = CASE WHEN record_id = $1 THEN now() END",
    [refused],
  );
  const text = await registry.metrics();
  expect(text).toContain('prefixcast_audit_unsent 2\n');
  expect(text).toContain('prefixcast_audit_refused 1\n');
  expect(Number(/^prefixcast_audit_oldest_unsent_seconds (\S+)/m.exec(text)?.[1])).toBeGreaterThanOrEqual(
    3600,
  );
});

test('pruning the audit log takes what was not sent with it', async () => {
  await write(3);
  await database.db.inSystem((tx) =>
    tx.sql.deleteFrom('audit_record').where('tenant_id', '=', tenant).execute(),
  );
  expect(await database.db.inSystem(readAuditBacklog)).toMatchObject({ unsent: 0 });
});

describe('the service itself', () => {
  let dataDir: string;
  const workers: ChildProcess[] = [];
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-audit-'));
  });
  afterAll(async () => {
    for (const worker of workers) await kill(worker);
    rmSync(dataDir, { recursive: true, force: true });
  });

  function startWorkerProcess(): ChildProcess {
    const { host, port, user, database: name } = database.address as unknown as Record<string, string>;
    const worker = spawn(process.execPath, [testProgram(), 'start'], {
      env: {
        PATH: process.env.PATH,
        APP_SERVICE: 'app-worker',
        APP_DATA_DIR: dataDir,
        APP_LOG_LEVEL: 'warn',
        DATABASE_URL: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host!)}`,
        AUTH_PORTAL_URL: portal.url,
        AUTH_AUDIT_INGEST_SECRET: SECRET,
      },
      stdio: 'ignore',
    });
    workers.push(worker);
    return worker;
  }

  async function kill(worker: ChildProcess): Promise<void> {
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }

  test('is killed in the middle twice, and every record arrives in order all the same', async () => {
    await write(200);
    for (const enough of [40, 90]) {
      // Each time the next record is on its way.
      portal.react = (_, n) => (n > enough ? 'silence' : 202);
      const worker = startWorkerProcess();
      await waitFor(() => portal.requests.length > enough, { what: `${enough} records` });
      await kill(worker);
    }
    portal.react = () => 202;
    startWorkerProcess();
    await waitFor(async () => (await database.db.inSystem(readAuditBacklog)).unsent === 0 || undefined, {
      what: 'an empty outbox',
    });
    const names = new Set(
      portal.taken
        .filter(({ record }) => (record.tenant as { id: string }).id === tenant)
        .map(({ record }) => (record.resource as { name: string }).name),
    );
    expect([...names]).toEqual(Array.from({ length: 200 }, (_, i) => `module ${i}`));
    // The first start of the service is in the audit log too.
    const first = portal.taken.filter(({ record }) => record.action === 'tenant.create');
    expect(first.map(({ record }) => record.actor)).toEqual(['cli']);
  }, 400_000);
});
