import pg from 'pg';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { PostgresMaintenance } from '../../../src/api/operation/postgres.ts';
import { requestPostgresMaintenance } from '../../../src/control/maintenance/postgres.ts';
import { createMaintenancePolicy, requestPolicyRun } from '../../../src/control/maintenance/policies.ts';
import { observePostgres } from '../../../src/http/metrics/postgres-metrics.ts';
import { requestJobCancel } from '../../../src/store/jobs/jobs.ts';
import { MaintenanceSession } from '../../../src/store/postgres/maintenance.ts';
import { readPostgresMetrics } from '../../../src/store/postgres/metrics.ts';
import { listAuditRecords, recordAudit } from '../../../src/store/audit/audit.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
const clients: pg.Client[] = [];
beforeAll(async () => {
  plane = await startPlane();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});
afterAll(() => plane?.close());

const ask = (body: PostgresMaintenance): Promise<Job> =>
  plane.run((tx) => requestPostgresMaintenance(tx, plane.context.queue, 'key:test', body));
const read = () => plane.database.db.inSystem(readPostgresMetrics);
const tableOf = async (name: string) => (await read()).tables!.find((table) => table.name === name)!;
const invalid = () =>
  plane.database.admin<{ name: string }>(
    'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid',
  );

/** The service's own user, whose sessions it sees, keeps a transaction open that has looked at the table. */
async function hold(table: string): Promise<pg.Client> {
  const client = new pg.Client({ ...plane.database.address });
  client.on('error', () => undefined);
  await client.connect();
  clients.push(client);
  await client.query('BEGIN');
  await client.query(`SELECT count(*) FROM prefixcast.${table}`);
  return client;
}

test('every number is there, of the server and of each of our tables and indexes', async () => {
  const metrics = await read();
  expect(metrics.unavailable).toEqual([]);
  expect(metrics).toMatchObject({
    server: { role: 'primary', version: expect.stringMatching(/^\d+/) as string },
    replication_slots: [],
    replicas: [],
  });
  expect(metrics.connections!.total).toBeGreaterThan(0);
  expect(metrics.connections!.limit).toBeGreaterThan(metrics.connections!.total);
  expect(metrics.database!.bytes).toBeGreaterThan(1_000_000);
  const names = metrics.tables!.map(({ name }) => name);
  for (const name of ['audit_record', 'job', 'setting', 'pgboss.queue']) expect(names).toContain(name);
  expect(metrics.indexes).toContainEqual(
    expect.objectContaining({ name: 'audit_record_at', table: 'audit_record', is_valid: true }),
  );
});

test('the numbers are those of what the server did: commits, rollbacks, a deadlock, temporary files, WAL, scans, dead rows', async () => {
  const holder = await hold('setting');
  const other = await hold('community');
  const before = await read();
  expect(before.connections!.idle_in_transaction).toBeGreaterThanOrEqual(2);
  expect(before.transactions!.oldest_seconds).toBeGreaterThan(0);
  await holder.query('LOCK TABLE prefixcast.setting IN ACCESS EXCLUSIVE MODE');
  await other.query('LOCK TABLE prefixcast.community IN ACCESS EXCLUSIVE MODE');
  const ends = await Promise.allSettled([
    holder.query('SELECT FROM prefixcast.community'),
    other.query('SELECT FROM prefixcast.setting'),
  ]);
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await Promise.all([holder.query('ROLLBACK'), other.query('ROLLBACK')]);
  await holder.query('SET work_mem = 64');
  await holder.query('SELECT n FROM generate_series(1, 200000) n ORDER BY n % 1000, n');
  for (let n = 0; n < 40; n++)
    await plane.run((tx) => recordAudit(tx, { actor: 'cli', action: 'thing.create' }));
  await plane.database.admin("UPDATE audit_record SET actor = 'y'");
  await plane.database.admin('SELECT count(*) FROM audit_record');
  const byName = (metrics: typeof before, name: string) =>
    metrics.tables!.find((table) => table.name === name)!;
  // Each session reports what it did when it has been idle for ten seconds, or when it is asked to.
  const report = 'SELECT pg_stat_force_next_flush()';
  await Promise.all([holder.query(report), other.query(report)]);
  await plane.database.admin(report);
  await expect
    .poll(async () => {
      const after = await read();
      const [one, two] = [before.database!, after.database!];
      const [old, now] = [byName(before, 'audit_record'), byName(after, 'audit_record')];
      return {
        commits: two.commits >= one.commits + 40,
        rollbacks: two.rollbacks > one.rollbacks,
        deadlocks: two.deadlocks - one.deadlocks,
        temporary: two.temporary_bytes - one.temporary_bytes > 1_000_000,
        wal: after.wal!.bytes > before.wal!.bytes && after.wal!.bytes_per_second > 0,
        scans: now.sequential_scans > old.sequential_scans,
        dead: now.dead_rows >= old.dead_rows + 40 && now.bloat_bytes > old.bloat_bytes,
        ages: after.transactions!.id_age > before.transactions!.id_age,
        uptime: after.server!.uptime_seconds > before.server!.uptime_seconds,
      };
    })
    .toEqual({
      ...{ commits: true, rollbacks: true, deadlocks: 1, temporary: true, wal: true, scans: true },
      ...{ dead: true, ages: true, uptime: true },
    });
});

test('what may not be seen is null with a reason, and the rest is there', async () => {
  await plane.database.admin('REVOKE SELECT ON pg_catalog.pg_stat_wal FROM PUBLIC');
  const metrics = await read();
  expect(metrics.wal).toBeNull();
  expect(metrics.unavailable).toEqual([
    { member: 'wal', reason: expect.stringContaining('permission denied') as string },
  ]);
  expect(metrics.checkpoints).not.toBeNull();
  expect(metrics.tables).not.toBeNull();
  await plane.database.admin('GRANT SELECT ON pg_catalog.pg_stat_wal TO PUBLIC');
});

test('locks that wait are reported with whom they wait for, and the oldest transaction with its age', async () => {
  const holder = await hold('setting');
  await holder.query('LOCK TABLE prefixcast.setting IN ACCESS EXCLUSIVE MODE');
  const { pid } = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!;
  const waiter = await hold('community');
  const waiting = waiter.query('SELECT FROM prefixcast.setting');
  const lock = await waitFor(
    async () => (await read()).waiting_locks!.find(({ table }) => table === 'setting'),
    { what: 'a lock that waits' },
  );
  expect(lock).toMatchObject({ mode: 'AccessShareLock', blocked_by: [pid] });
  const metrics = await read();
  expect(metrics.transactions!.oldest_seconds).toBeGreaterThan(0);
  // Its size cannot be asked while it is locked.
  expect(metrics.unavailable.map(({ member }) => member)).toContain('tables');
  await holder.query('ROLLBACK');
  await waiting;
});

test('metrics have the same numbers', async () => {
  const registry = new Registry();
  observePostgres(plane.database.db, registry, { warn: () => undefined });
  const text = await registry.metrics();
  const { server, tables, connections } = await read();
  expect(text).toContain(`prefixcast_postgres_info{version="${server!.version}",role="primary"} 1`);
  expect(text).toContain(`prefixcast_postgres_connections_limit ${connections!.limit}`);
  for (const { name, bytes } of tables!)
    if (name === 'tenant') expect(text).toContain(`prefixcast_postgres_table_bytes{table="tenant"} ${bytes}`);
  expect(text).toMatch(/prefixcast_postgres_index_bytes\{table="job",index="job_pkey"\} \d+/);
});

test('metrics have every number: none of the answer is left out', async () => {
  const registry = new Registry();
  observePostgres(plane.database.db, registry, { warn: () => undefined });
  // The server may vacuum and analyze in between, and says so later only.
  const metrics = await read();
  const text = await registry.metrics();
  const has = (series: string): boolean => text.includes(`\nprefixcast_postgres_${series} `);
  const isMissing = (series: string): string[] => (has(series) ? [] : [series]);
  expect(
    [
      ...['uptime_seconds', 'database_bytes', 'commits', 'rollbacks', 'deadlocks', 'temporary_bytes'],
      ...['cache_hit_ratio', 'connections_limit', 'wal_bytes', 'wal_bytes_per_second', 'transaction_id_age'],
      ...['oldest_transaction_seconds', 'waiting_locks'],
      ...['active', 'idle', 'idle_in_transaction', 'other'].map((state) => `connections{state="${state}"}`),
      ...['timed', 'requested'].map((cause) => `checkpoints{cause="${cause}"}`),
      ...['write', 'sync'].map((part) => `checkpoint_seconds{part="${part}"}`),
      ...metrics.tables!.flatMap(({ name, last_vacuum_at: vacuumed, last_analyze_at: analyzed }) =>
        [
          ...['bytes', 'rows', 'dead_rows', 'bloat_bytes', 'sequential_scans', 'index_scans'],
          ...(vacuumed === null ? [] : ['last_vacuum_seconds']),
          ...(analyzed === null ? [] : ['last_analyze_seconds']),
        ].map((number) => `table_${number}{table="${name}"}`),
      ),
      ...metrics.indexes!.flatMap(({ name, table }) =>
        ['bytes', 'scans', 'bloat_bytes'].map(
          (number) => `index_${number}{table="${table}",index="${name}"}`,
        ),
      ),
    ].flatMap(isMissing),
  ).toEqual([]);
});

test('vacuum and analyze of one table, and of all', async () => {
  for (let n = 0; n < 50; n++)
    await plane.run((tx) => recordAudit(tx, { actor: 'cli', action: 'thing.create' }));
  await plane.database.admin("UPDATE audit_record SET actor = 'x'");
  await plane.succeeded(await ask({ operation: 'analyze' }));
  const after = await waitFor(
    async () => {
      expect(await plane.succeeded(await ask({ operation: 'vacuum', table: 'audit_record' }))).toMatchObject({
        ...{ operation: 'vacuum', tables: 1, leftovers_removed: [] },
      });
      const table = await tableOf('audit_record');
      // The session that has updated the rows counts them when it is idle, which may be after a vacuum.
      return table.last_analyze_at !== null && table.dead_rows === 0 && table;
    },
    { what: 'the statistics' },
  );
  expect(after.last_vacuum_at).not.toBeNull();
  expect(after.rows).toBeGreaterThanOrEqual(50);
});

test('one at a time: 409 while another waits or is at work, whoever asked for it; what comes otherwise waits', async () => {
  // The server lets go of the lock of the run before once it has noticed that its connection is closed, which may be after the job's end.
  const begin = () => MaintenanceSession.begin(() => plane.database.db.connectApart());
  const session = await waitFor(async () => (await begin()) ?? undefined, {
    what: 'the run before to have ended',
  });
  const first = await ask({ operation: 'analyze', table: 'setting' });
  await expect(ask({ operation: 'vacuum' })).rejects.toMatchObject({
    code: 'maintenance_running',
    message: expect.stringContaining(first.id) as string,
  });
  await waitFor(async () => (await plane.job(first.id)).progress?.phase.includes('another run'), {
    what: 'the job to wait',
  });
  expect(await MaintenanceSession.begin(() => plane.database.db.connectApart())).toBeNull();
  await session.end();
  await plane.succeeded(first);
  await plane.succeeded(await ask({ operation: 'vacuum', table: 'setting' }));
});

test('a reindex that is cancelled leaves no index behind; readers and writers never wait for it', async () => {
  const holder = await hold('audit_record');
  const job = await ask({ operation: 'reindex', table: 'audit_record' });
  await waitFor(async () => (await invalid()).length > 0, { what: 'an index that is being built' });
  expect((await plane.job(job.id)).state).toBe('running');
  await waitFor(async () => (await plane.job(job.id)).progress?.phase.startsWith('reindex audit_record ('), {
    what: 'the progress of the statement',
  });
  await plane.run((tx) => recordAudit(tx, { actor: 'cli', action: 'thing.create' }));
  await plane.run((tx) => requestJobCancel(tx, job.id));
  await holder.query('ROLLBACK');
  expect((await plane.ended(job)).state).toBe('cancelled');
  expect(await invalid()).toEqual([]);
});

test.each(['vacuum', 'analyze', 'reindex'] as const)(
  '%s that waits for a lock keeps no reader or writer behind it, and ends at once when it is cancelled',
  async (operation) => {
    const holder = await hold('audit_record');
    await holder.query('LOCK TABLE prefixcast.audit_record IN SHARE UPDATE EXCLUSIVE MODE');
    const job = await ask({ operation, table: 'audit_record' });
    await waitFor(async () => (await read()).waiting_locks!.find(({ table }) => table === 'audit_record'), {
      what: `the ${operation} to wait`,
    });
    // Whoever would wait behind it does not get to the end of this, since nobody else lets go.
    await plane.run((tx) => recordAudit(tx, { actor: 'cli', action: 'thing.create' }));
    const { items } = await plane.run((tx) => listAuditRecords(tx, { action: 'thing.create', limit: 1 }));
    expect(items).toHaveLength(1);
    expect((await plane.job(job.id)).state).toBe('running');
    await plane.run((tx) => requestJobCancel(tx, job.id));
    expect((await plane.ended(job)).state).toBe('cancelled');
    await holder.query('ROLLBACK');
    expect(await invalid()).toEqual([]);
  },
);

test('what a killed run has left behind is removed by the next', async () => {
  const holder = await hold('job');
  const killed = await plane.database.db.connectApart();
  const work = killed
    .query('REINDEX INDEX CONCURRENTLY prefixcast.job_state')
    .catch((error: unknown) => error);
  await waitFor(async () => (await invalid()).length > 0, { what: 'an index that is being built' });
  await plane.database.admin(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'REINDEX%'",
  );
  await work;
  await holder.query('ROLLBACK');
  const left = (await invalid()).map(({ name }) => name.replace(/^\w+\./, ''));
  expect(left.length).toBeGreaterThan(0);
  expect(left.every((name) => name.startsWith('job_state_cc'))).toBe(true);
  const result = await plane.succeeded(await ask({ operation: 'analyze', table: 'setting' }));
  expect(result.leftovers_removed).toEqual(left.sort());
  expect(await invalid()).toEqual([]);
});

test('a policy reindexes its tables, and refuses one that is none of ours', async () => {
  const asker = { tenant: { slug: 'default' }, role: 'operator' } as const;
  const make = (tables: string[]) =>
    plane.run((tx) =>
      createMaintenancePolicy(tx, asker, {
        name: 'indexes',
        kind: 'postgres_reindex',
        parameters: { tables },
      }),
    );
  await expect(make(['setting', 'pg_class'])).rejects.toMatchObject({
    errors: [{ pointer: '/parameters/tables/1' }],
  });
  const { id } = (await make(['setting'])).resource;
  const job = await plane.run((tx) => requestPolicyRun(tx, plane.context.queue, asker, 'key:test', id));
  expect(await plane.succeeded(job)).toMatchObject({
    kind: 'postgres_reindex',
    count: 1,
    names: ['setting'],
  });
});
