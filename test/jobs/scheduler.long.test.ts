import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src/api/activity/jobs.ts';
import type { ModuleCreate } from '../../src/api/lists/modules.ts';
import { claimTask } from '../../src/store/maintenance/periodic-tasks.ts';
import { performPeriodicTasks } from '../../src/control/maintenance/perform-periodic-tasks.ts';
import type { JobQueue } from '../../src/control/job.ts';
import { requestRefresh } from '../../src/control/collection/refresh-module.ts';
import { scheduleRefreshes, type ScheduleTools } from '../../src/control/collection/schedule-refreshes.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startScheduler } from '../../src/jobs/scheduler.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { listJobs, requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { finishJob, type JobEnd } from '../../src/store/jobs/job-runs.ts';
import { getModule, insertModule, updateModule } from '../../src/store/modules/modules.ts';
import { silenceSessions } from '../../src/store/holding/sessions.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { waitFor } from '../daemons/wait.ts';

let database: TestDatabase;
let boss: PgBoss;
let queue: JobQueue;
let tools: ScheduleTools;
const children: ChildProcess[] = [];
const faults: unknown[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
  queue = createJobQueue(boss);
  tools = { db: database.db, queue, onFault: (_tenant, error) => faults.push(error) };
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await boss?.stop({ graceful: false });
  await database?.close();
});

type Run = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** A tenant, and how to work in it. */
async function newTenant(): Promise<{ id: string; run: Run }> {
  const id = await database.createTenant();
  return { id, run: (work) => database.db.inTenant(id, work) };
}

async function addModule(run: Run, name: string, more: Partial<ModuleCreate> = {}): Promise<string> {
  const body = { name, type: 'IP_RANGES', refresh_interval_seconds: 3600, ...more } as const;
  return (await run((tx) => insertModule(tx, body))).resource.id;
}

const makeDue = (tenantId: string) =>
  database.admin("UPDATE module SET next_refresh_at = now() - interval '1 minute' WHERE tenant_id = $1", [
    tenantId,
  ]);

const jobsOf = async (run: Run): Promise<Job[]> => [
  ...(await run((tx) => listJobs(tx, { type: 'module_refresh', limit: 500 }))).items,
];

/** Seconds from now, by the clock of the database, until the module is due; null: never by itself. */
async function dueIn(id: string): Promise<number | null> {
  const sql =
    'SELECT extract(epoch FROM next_refresh_at - now())::float8 AS seconds FROM module WHERE id = $1';
  const [row] = await database.admin<{ seconds: number | null }>(sql, [id]);
  return row!.seconds;
}

function expectWithin(seconds: number | null, least: number, most: number): void {
  expect(seconds).toBeGreaterThanOrEqual(least - 30);
  expect(seconds).toBeLessThanOrEqual(most);
}

describe('when a module is due', () => {
  test('follows its interval and whether it is enabled, whoever writes them', async () => {
    const { run } = await newTenant();
    const manual = await addModule(run, 'manual', { refresh_interval_seconds: null });
    const off = await addModule(run, 'off', { enabled: false });
    const timed = await addModule(run, 'timed');
    expect(await dueIn(manual)).toBeNull();
    expect(await dueIn(off)).toBeNull();
    expectWithin(await dueIn(timed), 3420, 3780);
    await run((tx) => updateModule(tx, timed, { refresh_interval_seconds: 86_400 }, null));
    expectWithin(await dueIn(timed), 82_080, 90_720);
    await run((tx) => updateModule(tx, timed, { enabled: false }, null));
    expect(await dueIn(timed)).toBeNull();
    await run((tx) => updateModule(tx, timed, { enabled: true }, null));
    expectWithin(await dueIn(timed), 82_080, 90_720);
    await run((tx) => updateModule(tx, timed, { refresh_interval_seconds: null }, null));
    expect(await dueIn(timed)).toBeNull();
  });

  test('a change of something else does not put it off', async () => {
    const { run } = await newTenant();
    const id = await addModule(run, 'named');
    const before = (await run((tx) => getModule(tx, id))).resource.next_refresh_at;
    const patch = { name: 'renamed', enabled: true, refresh_interval_seconds: 3600 };
    await run((tx) => updateModule(tx, id, patch, null));
    expect((await run((tx) => getModule(tx, id))).resource.next_refresh_at).toBe(before);
  });

  test('modules made at once do not stay together', async () => {
    const { run } = await newTenant();
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => addModule(run, `m${i}`)));
    const due = await Promise.all(ids.map(dueIn));
    expect(Math.max(...due.map(Number)) - Math.min(...due.map(Number))).toBeGreaterThan(10);
  });

  const end = async (run: Run, moduleId: string, how: JobEnd): Promise<void> => {
    const job = await run((tx) => requestRefresh(tx, queue, moduleId, 'key:test'));
    await run((tx) => finishJob(tx, job.id, how));
  };
  const FAILED = { state: 'failed', result: null, error: null } as const;
  const READ = { state: 'succeeded', result: { status: 'partial' }, error: null } as const;
  const READ_NOTHING = { state: 'succeeded', result: { status: 'failed' }, error: null } as const;

  test('doubles with every failure, up to a day, and is as before after a success', async () => {
    const { run } = await newTenant();
    const id = await addModule(run, 'flaky');
    for (const [failure, most] of [
      [FAILED, 7200],
      [READ_NOTHING, 14_400],
      [FAILED, 28_800],
      [FAILED, 57_600],
      [FAILED, 86_400],
      [READ_NOTHING, 86_400],
    ] as const) {
      await end(run, id, failure);
      expectWithin(await dueIn(id), most * 0.75, most);
    }
    await end(run, id, READ);
    expectWithin(await dueIn(id), 3420, 3780);
  });

  test('a module that comes seldom is tried again within a day after a failure', async () => {
    const { run } = await newTenant();
    const id = await addModule(run, 'monthly', { refresh_interval_seconds: 2_592_000 });
    await end(run, id, FAILED);
    expectWithin(await dueIn(id), 64_800, 86_400);
  });

  test('a refresh that is cancelled is no failure, and one of a module by hand leaves it by hand', async () => {
    const { run } = await newTenant();
    const id = await addModule(run, 'timed');
    const job = await run((tx) => requestRefresh(tx, queue, id, 'key:test'));
    await run((tx) => requestJobCancel(tx, job.id));
    expectWithin(await dueIn(id), 3420, 3780);
    const manual = await addModule(run, 'manual', { refresh_interval_seconds: null });
    await end(run, manual, READ);
    expect(await dueIn(manual)).toBeNull();
  });
});

describe('what is due', () => {
  test('is queued once, signed by the scheduler, and due again later', async () => {
    const { id: tenantId, run } = await newTenant();
    const due = await addModule(run, 'due');
    await addModule(run, 'later');
    await database.admin("UPDATE module SET next_refresh_at = now() - interval '1 second' WHERE id = $1", [
      due,
    ]);
    await scheduleRefreshes(tools);
    await scheduleRefreshes(tools);
    const jobs = await jobsOf(run);
    expect(jobs).toMatchObject([
      { state: 'queued', requested_by: 'auto:scheduler', resource: { type: 'module', id: due } },
    ]);
    // It waits or runs: however much time passes, there is no second one.
    await makeDue(tenantId);
    await database.admin("UPDATE job SET state = 'running' WHERE tenant_id = $1", [tenantId]);
    await scheduleRefreshes(tools);
    const after = await jobsOf(run);
    expect(after.filter(({ resource }) => resource!.id === due)).toHaveLength(1);
    await run((tx) => finishJob(tx, jobs[0]!.id, { state: 'succeeded', result: {}, error: null }));
    expectWithin(await dueIn(due), 3420, 3780);
  });

  test('waits while the tenant is suspended, and what fails for one tenant keeps no other waiting', async () => {
    const [suspended, broken, fine] = [await newTenant(), await newTenant(), await newTenant()];
    for (const { id, run } of [suspended, broken, fine]) {
      await addModule(run, 'due');
      await makeDue(id);
    }
    await database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [suspended.id]);
    const refusing: JobQueue = {
      ...queue,
      enqueue: (tx, request) =>
        tx.tenantId === broken.id ? Promise.reject(new RangeError('no more')) : queue.enqueue(tx, request),
    };
    faults.length = 0;
    await scheduleRefreshes({ ...tools, queue: refusing });
    expect(await jobsOf(suspended.run)).toEqual([]);
    expect(await jobsOf(broken.run)).toEqual([]);
    expect(await jobsOf(fine.run)).toHaveLength(1);
    expect(faults).toEqual([expect.any(RangeError)]);
    // Nothing of the refused one is lost.
    await scheduleRefreshes(tools);
    expect(await jobsOf(broken.run)).toHaveLength(1);
    await database.admin("UPDATE tenant SET status = 'active' WHERE id = $1", [suspended.id]);
    await scheduleRefreshes(tools);
    expect(await jobsOf(suspended.run)).toHaveLength(1);
  });

  test('as far as the quota of waiting jobs goes, and the rest when there is room', async () => {
    const { id, run } = await newTenant();
    for (let i = 0; i < 7; i++) await addModule(run, `m${i}`);
    await makeDue(id);
    const quota = "UPDATE tenant_quota SET maximum = 3 WHERE tenant_id = $1 AND resource = 'jobs_queued'";
    await database.admin(quota, [id]);
    faults.length = 0;
    await scheduleRefreshes(tools);
    await scheduleRefreshes(tools);
    expect(await jobsOf(run)).toHaveLength(3);
    expect(faults).toEqual([]);
    for (const job of await jobsOf(run))
      await run((tx) => finishJob(tx, job.id, { state: 'succeeded', result: {}, error: null }));
    await scheduleRefreshes(tools);
    expect(new Set((await jobsOf(run)).map(({ resource }) => resource!.id)).size).toBe(6);
  });

  test('200 modules: each once, by three processes whose clocks are a day apart from each other', async () => {
    const tenants = [await newTenant(), await newTenant()];
    const looks: number[] = [];
    const program = fileURLToPath(new URL('scheduler-process.ts', import.meta.url));
    for (const [index, hours] of [-24, 0, 24].entries()) {
      const args = [program, JSON.stringify(database.address), String(hours)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      looks[index] = 0;
      child.stdout.on('data', (chunk: Buffer) => (looks[index]! += chunk.toString().split('\n').length - 1));
    }
    await waitFor(() => looks.every((count) => count > 0), { what: 'three schedulers', timeoutMs: 60_000 });
    for (const { id, run } of tenants)
      await run(async (tx) => {
        for (let i = 0; i < 100; i++)
          await insertModule(tx, { name: `m${i}`, type: 'IP_RANGES', refresh_interval_seconds: 3600 });
        await tx.sql
          .updateTable('module')
          .set({ next_refresh_at: new Date(Date.now() - 60_000) })
          .where('tenant_id', '=', id)
          .execute();
      });
    const jobs = async () => (await Promise.all(tenants.map(({ run }) => jobsOf(run)))).flat();
    await waitFor(async () => (await jobs()).length >= 200, { what: '200 jobs', timeoutMs: 60_000 });
    const before = [...looks];
    await waitFor(() => looks.every((count, i) => count >= before[i]! + 3), {
      what: 'each to look three times more',
      timeoutMs: 60_000,
    });
    const all = await jobs();
    expect(all).toHaveLength(200);
    expect(new Set(all.map(({ resource }) => resource!.id)).size).toBe(200);
    const messages = "SELECT 1 FROM pgboss.job WHERE data->>'tenant_id' = ANY ($1)";
    expect(await database.admin(messages, [tenants.map(({ id }) => id)])).toHaveLength(200);
  });
});

describe('periodic tasks', () => {
  test('are done once in their time, however many look', async () => {
    const { id, run } = await newTenant();
    let done = 0;
    const perform = (tx: TenantTx): Promise<void> => {
      if (tx.tenantId === id) done++;
      return Promise.resolve();
    };
    const tasks = [{ name: 'test', everyMinutes: 60, perform }];
    await Promise.all([1, 2, 3, 4].map(() => performPeriodicTasks(tools, tasks)));
    expect(done).toBe(1);
    await database.admin("UPDATE duty SET done_at = done_at - interval '61 minutes' WHERE tenant_id = $1", [
      id,
    ]);
    await Promise.all([1, 2].map(() => performPeriodicTasks(tools, tasks)));
    expect(done).toBe(2);
    expect(await jobsOf(run)).toEqual([]);
  });

  test('one of a tenant that was deleted since is not done, and no fault', async () => {
    const gone = crypto.randomUUID();
    const duty = { name: 'late', everyMinutes: 60 };
    expect(await database.db.inTenant(gone, (tx) => claimTask(tx, duty))).toBe(false);
  });

  test('one that fails is not taken for done', async () => {
    const { id } = await newTenant();
    let attempts = 0;
    const perform = (tx: TenantTx): Promise<void> =>
      tx.tenantId === id && ++attempts === 1 ? Promise.reject(new RangeError('not now')) : Promise.resolve();
    const tasks = [{ name: 'fails', everyMinutes: 60, perform }];
    for (let look = 0; look < 3; look++) await performPeriodicTasks(tools, tasks);
    expect(attempts).toBe(2);
  });

  test('the scheduler removes kept answers that are too old and leases that ran out long ago', async () => {
    const { id, run } = await newTenant();
    const ids = { key: crypto.randomUUID(), speaker: crypto.randomUUID() };
    await database.admin(
      `INSERT INTO api_key (tenant_id, id, name, role, prefix, secret_hash)
       VALUES ($1, $2, 'k', 'viewer', 'p', sha256(gen_random_uuid()::text::bytea))`,
      [id, ids.key],
    );
    for (const [key, age] of [
      ['old', '25 hours'],
      ['new', '1 hour'],
    ])
      await database.admin(
        `INSERT INTO idempotency_key (tenant_id, api_key_id, key, request_hash, claim, created_at)
         VALUES ($1, $2, $3, sha256('x'), gen_random_uuid(), now() - $4::interval)`,
        [id, ids.key, key, age],
      );
    await database.admin("INSERT INTO speaker (tenant_id, id, name, local_asn) VALUES ($1, $2, 's', 64512)", [
      id,
      ids.speaker,
    ]);
    await database.admin(
      `INSERT INTO speaker_lease (tenant_id, speaker_id, holder, expires_at)
       VALUES ($1, $2, gen_random_uuid(), now() - interval '2 days')`,
      [id, ids.speaker],
    );
    const scheduler = startScheduler(tools);
    const keys = () =>
      database.admin<{ key: string }>('SELECT key FROM idempotency_key WHERE tenant_id = $1', [id]);
    await waitFor(async () => (await keys()).length === 1, { what: 'the old answer to go' });
    await scheduler.close();
    expect(await keys()).toEqual([{ key: 'new' }]);
    expect(await run((tx) => tx.sql.selectFrom('speaker_lease').selectAll().execute())).toEqual([]);
  });

  test('revisions that have outlived their retention are pruned by a job', async () => {
    const { id, run } = await newTenant();
    await database.admin(
      `INSERT INTO revision (tenant_id, id, number, state, trigger, created_at)
       VALUES ($1, gen_random_uuid(), 1, 'failed', '{}', now() - interval '90 days')`,
      [id],
    );
    await performPeriodicTasks(tools);
    expect((await run((tx) => listJobs(tx, { type: 'revision_prune' }))).items).toMatchObject([
      { state: 'queued', requested_by: 'auto:scheduler' },
    ]);
  });
});

test('sessions whose holder went silent are written down as idle, those of a living one are not', async () => {
  const { id: tenantId, run } = await newTenant();
  const [dead, alive, quick] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const peer = crypto.randomUUID();
  await database.admin(
    "INSERT INTO peer (tenant_id, id, name, address, remote_asn) VALUES ($1, $2, 'p', '192.0.2.1', 64500)",
    [tenantId, peer],
  );
  for (const [speaker, lease, reported] of [
    [dead, '-1 minute', '-1 minute'],
    [alive, '1 minute', '-1 minute'],
    [quick, '-1 minute', '0 minutes'],
  ] as const) {
    await database.admin(
      'INSERT INTO speaker (tenant_id, id, name, local_asn) VALUES ($1, $2, $2::uuid::text, 64512)',
      [tenantId, speaker],
    );
    await database.admin(
      'INSERT INTO speaker_lease (tenant_id, speaker_id, holder, expires_at) VALUES ($1, $2, gen_random_uuid(), now() + $3::interval)',
      [tenantId, speaker, lease],
    );
    await database.admin(
      `INSERT INTO speaker_session (tenant_id, speaker_id, peer_id, state, since, routes_exported, routes_received,
                                    updates_sent, reported_at)
       VALUES ($1, $2, $3, 'established', now() - interval '1 day', 9, 0, 9, now() + $4::interval)`,
      [tenantId, speaker, peer, reported],
    );
  }
  for (let look = 0; look < 2; look++) await database.db.inSystem(silenceSessions);
  const sessions = await run((tx) => tx.sql.selectFrom('speaker_session').selectAll().execute());
  const of = (speaker: string) => sessions.find(({ speaker_id: id }) => id === speaker)!;
  expect(of(dead)).toMatchObject({ state: 'idle', routes_exported: 0, since: of(dead).reported_at });
  expect(of(alive)).toMatchObject({ state: 'established', routes_exported: 9 });
  expect(of(quick)).toMatchObject({ state: 'established' });
  const query = "SELECT data FROM event WHERE tenant_id = $1 AND kind = 'session' ORDER BY entry";
  const events = await database.admin<{ data: object }>(query, [tenantId]);
  expect(events.slice(3).map(({ data }) => data)).toEqual([
    expect.objectContaining({ speaker_id: dead, peer_id: peer, state: 'idle' }),
  ]);
});
