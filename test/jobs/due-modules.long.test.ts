/** When a module is due, and that what is due is queued once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ModuleCreate } from '../../src/api/lists/modules.ts';
import type { JobQueue } from '../../src/control/job.ts';
import { requestRefresh } from '../../src/control/collection/refresh-module.ts';
import { scheduleRefreshes, type ScheduleTools } from '../../src/control/collection/schedule-refreshes.ts';
import { requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { finishJob, type JobEnd } from '../../src/store/jobs/job-runs.ts';
import { getModule, insertModule, updateModule } from '../../src/store/modules/modules.ts';
import type { TestDatabase } from '../database.ts';
import { waitFor } from '../daemons/wait.ts';
import { jobsOf, newTenant, type Run, useScheduling } from './scheduling.ts';

const scheduling = useScheduling();
let database: TestDatabase;
let queue: JobQueue;
let tools: ScheduleTools;
beforeAll(() => {
  ({ database, queue, tools } = scheduling);
});
const { faults } = scheduling;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function addModule(run: Run, name: string, more: Partial<ModuleCreate> = {}): Promise<string> {
  const body = { name, type: 'IP_RANGES', refresh_interval_seconds: 3600, ...more } as const;
  return (await run((tx) => insertModule(tx, body))).resource.id;
}

const makeDue = (tenantId: string) =>
  database.admin("UPDATE module SET next_refresh_at = now() - interval '1 minute' WHERE tenant_id = $1", [
    tenantId,
  ]);

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
    const { run } = await newTenant(scheduling);
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
    const { run } = await newTenant(scheduling);
    const id = await addModule(run, 'named');
    const before = (await run((tx) => getModule(tx, id))).resource.next_refresh_at;
    const patch = { name: 'renamed', enabled: true, refresh_interval_seconds: 3600 };
    await run((tx) => updateModule(tx, id, patch, null));
    expect((await run((tx) => getModule(tx, id))).resource.next_refresh_at).toBe(before);
  });

  test('modules made at once do not stay together', async () => {
    const { run } = await newTenant(scheduling);
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
    const { run } = await newTenant(scheduling);
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
    const { run } = await newTenant(scheduling);
    const id = await addModule(run, 'monthly', { refresh_interval_seconds: 2_592_000 });
    await end(run, id, FAILED);
    expectWithin(await dueIn(id), 64_800, 86_400);
  });

  test('a refresh that is cancelled is no failure, and one of a module by hand leaves it by hand', async () => {
    const { run } = await newTenant(scheduling);
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
    const { id: tenantId, run } = await newTenant(scheduling);
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
    const [suspended, broken, fine] = [
      await newTenant(scheduling),
      await newTenant(scheduling),
      await newTenant(scheduling),
    ];
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
    const { id, run } = await newTenant(scheduling);
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
    const tenants = [await newTenant(scheduling), await newTenant(scheduling)];
    const looks: number[] = [];
    const program = fileURLToPath(new URL('scheduler-process.ts', import.meta.url));
    for (const [index, hours] of [-24, 0, 24].entries()) {
      const args = [program, JSON.stringify(database.address), String(hours)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      looks[index] = 0;
      child.stdout.on('data', (chunk: Buffer) => (looks[index]! += chunk.toString().split('\n').length - 1));
    }
    await waitFor(() => looks.every((count) => count > 0), { what: 'three schedulers' });
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
    await waitFor(async () => (await jobs()).length >= 200, { what: '200 jobs' });
    const before = [...looks];
    await waitFor(() => looks.every((count, i) => count >= before[i]! + 3), {
      what: 'each to look three times more',
    });
    const all = await jobs();
    expect(all).toHaveLength(200);
    expect(new Set(all.map(({ resource }) => resource!.id)).size).toBe(200);
    const messages = "SELECT 1 FROM pgboss.job WHERE data->>'tenant_id' = ANY ($1)";
    expect(await database.admin(messages, [tenants.map(({ id }) => id)])).toHaveLength(200);
  });
});
