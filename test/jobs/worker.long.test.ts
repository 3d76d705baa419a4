import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Job, JobState, JobType } from '../../src/api/activity/jobs.ts';
import { Problem } from '../../src/api/problems/problem.ts';
import {
  JobFailure,
  JobPause,
  type JobHandler,
  type JobQueue,
  type JobRequest,
} from '../../src/control/job.ts';
import { cancelJob } from '../../src/control/rollout/cancel-job.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { getJob, listJobs, requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { putSettings, getSetting } from '../../src/store/tenants/settings.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let boss: PgBoss;
let queue: JobQueue;
let workers: Worker[] = [];
const faults: unknown[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
  queue = createJobQueue(boss);
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});
afterAll(async () => {
  await boss.stop({ graceful: false });
  await database.close();
});

const POLLING = { timeout: 60_000, interval: 50 };

function work(handler: JobHandler, others: Partial<Record<JobType, JobHandler>> = {}): Worker {
  const one = {
    module_refresh: handler,
    apply: handler,
    peer_reconcile: handler,
    revision_prune: handler,
    revision_build: handler,
    router_reload: handler,
    maintenance_policy_run: handler,
    postgres_maintenance: handler,
  };
  const handlers = { ...one, ...others };
  const onFault = (_job: Job | null, error: unknown): unknown => faults.push(error);
  const worker = startWorker({ boss, db: database.db, handlers, onFault });
  workers.push(worker);
  return worker;
}

function enqueue(tenantId: string, request: Partial<JobRequest> = {}): Promise<Job> {
  const whole = {
    type: 'apply',
    input: {},
    resource: null,
    requestedBy: 'key:test',
    parentId: null,
    ...request,
  } as const;
  return database.db.inTenant(tenantId, (tx) => queue.enqueue(tx, whole));
}

async function read(tenantId: string, id: string): Promise<Job> {
  return (await database.db.inTenant(tenantId, (tx) => getJob(tx, id))).resource;
}

async function reached(tenantId: string, id: string, state: JobState): Promise<Job> {
  await expect.poll(async () => (await read(tenantId, id)).state, POLLING).toBe(state);
  return read(tenantId, id);
}

/** Waits for the abort and rejects with its reason, like fetch and timers do. */
const hang: JobHandler = async ({ signal }) => {
  await sleep(600_000, undefined, { signal });
  return () => Promise.resolve({});
};

test('a job runs, and its effects commit with its end', async () => {
  const tenantId = await database.createTenant();
  work(({ input }) =>
    Promise.resolve(async (tx) => {
      await putSettings(tx, { auto_apply: false });
      return { echo: input };
    }),
  );
  const job = await enqueue(tenantId, { input: { n: 1 }, resource: { type: 'module', id: tenantId } });
  expect(job).toMatchObject({
    state: 'queued',
    attempt: 0,
    requested_by: 'key:test',
    resource: { type: 'module' },
  });
  const done = await reached(tenantId, job.id, 'succeeded');
  expect(done).toMatchObject({ attempt: 1, result: { echo: { n: 1 } }, error: null });
  expect(done.finished_at).not.toBeNull();
  expect(await database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(false);
});

test('a job that has waited for a year runs', async () => {
  const tenantId = await database.createTenant();
  const { id } = await enqueue(tenantId);
  const year = "interval '1 year'";
  await database.admin(
    `UPDATE pgboss.job SET start_after = start_after - ${year}, keep_until = keep_until - ${year}
      WHERE data->>'job_id' = $1`,
    [id],
  );
  await database.admin(`UPDATE pgboss.queue SET maintain_on = now() - ${year}`);
  await boss.supervise();
  work(() => Promise.resolve(() => Promise.resolve({})));
  await reached(tenantId, id, 'succeeded');
}, 90_000);

test('a worker keeps nothing of jobs that have ended', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const tenantId = await database.createTenant();
  const signals: WeakRef<AbortSignal>[] = [];
  work(({ signal }) => {
    signals.push(new WeakRef(signal));
    return Promise.resolve(() => Promise.resolve({}));
  });
  for (let i = 0; i < 10; i++) await reached(tenantId, (await enqueue(tenantId)).id, 'succeeded');
  const kept = (): number => {
    collectGarbage();
    return signals.filter((signal) => signal.deref() !== undefined).length;
  };
  await expect.poll(kept, { timeout: 20_000, interval: 200 }).toBeLessThan(5);
});

test('a job of a transaction that is rolled back does not exist', async () => {
  const tenantId = await database.createTenant();
  const request = { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null } as const;
  const rejected = database.db.inTenant(tenantId, async (tx) => {
    await queue.enqueue(tx, request);
    throw new RangeError('no');
  });
  await expect(rejected).rejects.toThrow(RangeError);
  expect((await database.db.inTenant(tenantId, (tx) => listJobs(tx, {}))).items).toEqual([]);
  const messages = await database.admin("SELECT 1 FROM pgboss.job WHERE data->>'tenant_id' = $1", [tenantId]);
  expect(messages).toEqual([]);
});

test('a refusal fails at once, with its own words', async () => {
  const tenantId = await database.createTenant();
  work(() => Promise.reject(new Problem('revision_not_ready', 'There is none.')));
  const job = await enqueue(tenantId);
  const failed = await reached(tenantId, job.id, 'failed');
  expect(failed).toMatchObject({
    attempt: 1,
    error: { code: 'revision_not_ready', detail: 'There is none.' },
  });
});

test('a failure may have a result', async () => {
  const tenantId = await database.createTenant();
  work(() => Promise.reject(new JobFailure('apply_failed', 'One of two.', { speakers: [1, 2] })));
  const job = await enqueue(tenantId);
  expect(await reached(tenantId, job.id, 'failed')).toMatchObject({
    result: { speakers: [1, 2] },
    attempt: 1,
  });
});

test('an unexpected fault is retried three times and reported without details', async () => {
  const tenantId = await database.createTenant();
  work(() => Promise.reject(new TypeError('the password is 1234')));
  const job = await enqueue(tenantId);
  const failed = await reached(tenantId, job.id, 'failed');
  expect(failed).toMatchObject({ attempt: 3, error: { code: 'internal_error' } });
  expect(JSON.stringify(failed)).not.toContain('1234');
  expect(faults.filter((fault) => fault instanceof TypeError)).toHaveLength(3);
});

test('effects that fail to commit leave nothing, and the next run starts clean', async () => {
  const tenantId = await database.createTenant();
  let runs = 0;
  work(() =>
    Promise.resolve(async (tx) => {
      await putSettings(tx, { guard_no_export: false });
      if (++runs === 1) throw new TypeError('half done');
      return { seen: await getSetting(tx, 'auto_apply') };
    }),
  );
  const job = await enqueue(tenantId);
  expect(await reached(tenantId, job.id, 'succeeded')).toMatchObject({ attempt: 2, result: { seen: true } });
});

test('a queued job is cancelled at once and never runs', async () => {
  const tenantId = await database.createTenant();
  const job = await enqueue(tenantId);
  const { resource } = await database.db.inTenant(tenantId, (tx) => requestJobCancel(tx, job.id));
  expect(resource.state).toBe('cancelled');
  let ran = false;
  work(() => Promise.resolve(() => Promise.resolve({ ran: (ran = true) })));
  const later = await enqueue(await database.createTenant());
  await expect
    .poll(() => database.admin('SELECT state FROM job WHERE id = $1', [later.id]), POLLING)
    .toEqual([{ state: 'succeeded' }]);
  expect((await read(tenantId, job.id)).state).toBe('cancelled');
  expect(ran).toBe(true);
});

test('a running job is asked to stop and ends as cancelled, with nothing committed', async () => {
  const tenantId = await database.createTenant();
  work(async ({ signal, progress }) => {
    progress('collect', 3, 10);
    await sleep(600_000, undefined, { signal }).catch(() => undefined);
    return async (tx) => {
      await putSettings(tx, { auto_apply: false });
      return {};
    };
  });
  const job = await enqueue(tenantId);
  await expect
    .poll(async () => (await read(tenantId, job.id)).progress, POLLING)
    .toEqual({ phase: 'collect', done: 3, total: 10 });
  await database.db.inTenant(tenantId, (tx) => requestJobCancel(tx, job.id));
  expect(await reached(tenantId, job.id, 'cancelled')).toMatchObject({ error: null, result: null });
  expect(await database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(true);
});

test('whoever cancels a job waits for nothing that its commit does, and nothing of that stays', async () => {
  const tenantId = await database.createTenant();
  const [committing, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  work(() =>
    Promise.resolve(async (tx) => {
      await putSettings(tx, { auto_apply: false });
      committing.resolve();
      await released.promise;
      return {};
    }),
  );
  const job = await enqueue(tenantId);
  await committing.promise;
  const requests = openDatabase(database.address, { forRequests: true });
  // Its row would be free only once the commit ends, and requests wait for locks for three seconds.
  const cancelled = requests.inTenant(tenantId, (tx) => cancelJob(tx, job.id)).finally(released.resolve);
  expect((await cancelled).resource.state).toBe('running');
  expect(await reached(tenantId, job.id, 'cancelled')).toMatchObject({ error: null, result: null });
  expect(await database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(true);
  await requests.close();
});

test('a worker that stops puts its job back, and another takes it up as if nothing had been', async () => {
  const tenantId = await database.createTenant();
  const first = work(hang);
  const job = await enqueue(tenantId);
  await reached(tenantId, job.id, 'running');
  await first.close();
  expect(await read(tenantId, job.id)).toMatchObject({ state: 'queued', attempt: 0 });
  work(() => Promise.resolve(() => Promise.resolve({})));
  expect(await reached(tenantId, job.id, 'succeeded')).toMatchObject({ attempt: 1 });
});

test('the job of a killed worker process is taken up again', async () => {
  const tenantId = await database.createTenant();
  const program = fileURLToPath(new URL('worker-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(database.address)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const job = await enqueue(tenantId);
  await reached(tenantId, job.id, 'running');
  child.kill('SIGKILL');
  await once(child, 'exit');
  work(() => Promise.resolve(() => Promise.resolve({ again: true })));
  expect(await reached(tenantId, job.id, 'succeeded')).toMatchObject({ attempt: 2, result: { again: true } });
}, 90_000);

test('a run that has lost its job cannot end it', async () => {
  const tenantId = await database.createTenant();
  const gate = Promise.withResolvers<void>();
  work(async () => {
    await gate.promise;
    return async (tx) => {
      await putSettings(tx, { auto_apply: false });
      return { from: 'the old run' };
    };
  });
  const job = await enqueue(tenantId);
  await reached(tenantId, job.id, 'running');
  await database.admin('UPDATE job SET holder = gen_random_uuid() WHERE id = $1', [job.id]);
  gate.resolve();
  await workers[0]!.close();
  expect(await read(tenantId, job.id)).toMatchObject({ state: 'running', result: null });
  expect(await database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(true);
});

test('a job whose every worker dies is given up', async () => {
  const tenantId = await database.createTenant();
  const job = await enqueue(tenantId);
  await database.admin(
    "UPDATE job SET attempt = 3, state = 'running', holder = gen_random_uuid() WHERE id = $1",
    [job.id],
  );
  work(() => Promise.resolve(() => Promise.resolve({})));
  const failed = await reached(tenantId, job.id, 'failed');
  expect(failed.error?.detail).toContain('worker died');
});

test('connections that break in the middle of a job cost an attempt, not the job', async () => {
  const tenantId = await database.createTenant();
  let runs = 0;
  work(async ({ db, tenantId: own }) => {
    if (own === tenantId && ++runs === 1) {
      await db.inTenant(tenantId, async (tx) => {
        await getSetting(tx, 'auto_apply');
        await database.dropConnections();
        await getSetting(tx, 'auto_apply');
      });
    }
    return () => Promise.resolve({ runs });
  });
  const job = await enqueue(tenantId);
  expect(await reached(tenantId, job.id, 'succeeded')).toMatchObject({ result: { runs: 2 } });
}, 90_000);

test('one tenant with many jobs does not keep another waiting', async () => {
  const [busy, other] = [await database.createTenant(), await database.createTenant()];
  for (let i = 0; i < 30; i++) await enqueue(busy);
  const waiting = await enqueue(other);
  const order: string[] = [];
  work(async ({ tenantId }) => {
    order.push(tenantId);
    await sleep(20); // each takes a while, so that many wait
    return () => Promise.resolve({});
  });
  await reached(other, waiting.id, 'succeeded');
  expect(order.indexOf(other)).toBeLessThan(15);
  // Until they have ended: one that is interrupted would run in the next test.
  const open = () => database.admin("SELECT FROM job WHERE tenant_id = $1 AND state <> 'succeeded'", [busy]);
  await expect.poll(async () => (await open()).length, POLLING).toBe(0);
  expect(order.length).toBe(31);
}, 90_000);

test('a job that pauses gives its place to others, and goes on in the same run with what it reported', async () => {
  const tenantId = await database.createTenant();
  let runs = 0;
  work(({ job }) => {
    runs++;
    if (runs < 3) throw new JobPause(1, { phase: 'wait', done: runs, total: 2 });
    return Promise.resolve(() => Promise.resolve({ reported: job.progress }));
  });
  const { id } = await enqueue(tenantId);
  const holder = async () => (await database.admin('SELECT holder FROM job WHERE id = $1', [id]))[0];
  await expect.poll(async () => (await read(tenantId, id)).progress, POLLING).toMatchObject({ done: 1 });
  expect(await read(tenantId, id)).toMatchObject({ state: 'running', attempt: 1 });
  expect(await holder()).toEqual({ holder: null });
  const reported = { phase: 'wait', done: 2, total: 2 };
  expect(await reached(tenantId, id, 'succeeded')).toMatchObject({ attempt: 1, result: { reported } });
});

test('a job that pauses has as many attempts after each pause as before the first', async () => {
  const tenantId = await database.createTenant();
  let runs = 0;
  work(() => {
    runs++;
    if (runs === 9) return Promise.resolve(() => Promise.resolve({}));
    throw runs % 2 === 0
      ? new RangeError('unexpected')
      : new JobPause(1, { phase: 'wait', done: runs, total: 8 });
  });
  const { id } = await enqueue(tenantId);
  await expect.poll(async () => (await read(tenantId, id)).finished_at, POLLING).not.toBeNull();
  expect(await read(tenantId, id)).toMatchObject({ state: 'succeeded', error: null });
}, 120_000);

test('a job that pauses ends where somebody cancels it meanwhile', async () => {
  const tenantId = await database.createTenant();
  work(() => Promise.reject(new JobPause(1, { phase: 'wait', done: 0, total: null })));
  const { id } = await enqueue(tenantId);
  await expect.poll(async () => (await read(tenantId, id)).progress, POLLING).not.toBeNull();
  await database.db.inTenant(tenantId, (tx) => requestJobCancel(tx, id));
  expect(await reached(tenantId, id, 'cancelled')).toMatchObject({ error: null });
});
