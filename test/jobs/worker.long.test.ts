/** What becomes of jobs that workers run: they end, fail, are cancelled, and take turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Problem } from '../../src/api/problems/problem.ts';
import { JobFailure } from '../../src/control/job.ts';
import { cancelJob } from '../../src/control/rollout/cancel-job.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { listJobs, requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { putSettings, getSetting } from '../../src/store/tenants/settings.ts';
import { POLLING, useWorkers } from './working.ts';

const jobs = useWorkers();

test('a job runs, and its effects commit with its end', async () => {
  const tenantId = await jobs.database.createTenant();
  jobs.work(({ input }) =>
    Promise.resolve(async (tx) => {
      await putSettings(tx, { auto_apply: false });
      return { echo: input };
    }),
  );
  const job = await jobs.enqueue(tenantId, { input: { n: 1 }, resource: { type: 'module', id: tenantId } });
  expect(job).toMatchObject({
    state: 'queued',
    attempt: 0,
    requested_by: 'key:test',
    resource: { type: 'module' },
  });
  const done = await jobs.reached(tenantId, job.id, 'succeeded');
  expect(done).toMatchObject({ attempt: 1, result: { echo: { n: 1 } }, error: null });
  expect(done.finished_at).not.toBeNull();
  expect(await jobs.database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(false);
});

test('a job that has waited for a year runs', async () => {
  const tenantId = await jobs.database.createTenant();
  const { id } = await jobs.enqueue(tenantId);
  const year = "interval '1 year'";
  await jobs.database.admin(
    `UPDATE pgboss.job SET start_after = start_after - ${year}, keep_until = keep_until - ${year}
      WHERE data->>'job_id' = $1`,
    [id],
  );
  await jobs.database.admin(`UPDATE pgboss.queue SET maintain_on = now() - ${year}`);
  await jobs.boss.supervise();
  jobs.work(() => Promise.resolve(() => Promise.resolve({})));
  await jobs.reached(tenantId, id, 'succeeded');
});

test('a worker keeps nothing of jobs that have ended', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const tenantId = await jobs.database.createTenant();
  const signals: WeakRef<AbortSignal>[] = [];
  jobs.work(({ signal }) => {
    signals.push(new WeakRef(signal));
    return Promise.resolve(() => Promise.resolve({}));
  });
  for (let i = 0; i < 10; i++) await jobs.reached(tenantId, (await jobs.enqueue(tenantId)).id, 'succeeded');
  const kept = (): number => {
    collectGarbage();
    return signals.filter((signal) => signal.deref() !== undefined).length;
  };
  await expect.poll(kept, { timeout: 20_000, interval: 200 }).toBeLessThan(5);
});

test('a job of a transaction that is rolled back does not exist', async () => {
  const tenantId = await jobs.database.createTenant();
  const request = { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null } as const;
  const rejected = jobs.database.db.inTenant(tenantId, async (tx) => {
    await jobs.queue.enqueue(tx, request);
    throw new RangeError('no');
  });
  await expect(rejected).rejects.toThrow(RangeError);
  expect((await jobs.database.db.inTenant(tenantId, (tx) => listJobs(tx, {}))).items).toEqual([]);
  const messages = await jobs.database.admin("SELECT 1 FROM pgboss.job WHERE data->>'tenant_id' = $1", [
    tenantId,
  ]);
  expect(messages).toEqual([]);
});

test('a refusal fails at once, with its own words', async () => {
  const tenantId = await jobs.database.createTenant();
  jobs.work(() => Promise.reject(new Problem('revision_not_ready', 'There is none.')));
  const job = await jobs.enqueue(tenantId);
  const failed = await jobs.reached(tenantId, job.id, 'failed');
  expect(failed).toMatchObject({
    attempt: 1,
    error: { code: 'revision_not_ready', detail: 'There is none.' },
  });
});

test('a failure may have a result', async () => {
  const tenantId = await jobs.database.createTenant();
  jobs.work(() => Promise.reject(new JobFailure('apply_failed', 'One of two.', { speakers: [1, 2] })));
  const job = await jobs.enqueue(tenantId);
  expect(await jobs.reached(tenantId, job.id, 'failed')).toMatchObject({
    result: { speakers: [1, 2] },
    attempt: 1,
  });
});

test('an unexpected fault is retried three times and reported without details', async () => {
  const tenantId = await jobs.database.createTenant();
  jobs.work(() => Promise.reject(new TypeError('the password is 1234')));
  const job = await jobs.enqueue(tenantId);
  const failed = await jobs.reached(tenantId, job.id, 'failed');
  expect(failed).toMatchObject({ attempt: 3, error: { code: 'internal_error' } });
  expect(JSON.stringify(failed)).not.toContain('1234');
  expect(jobs.faults.filter((fault) => fault instanceof TypeError)).toHaveLength(3);
});

test('effects that fail to commit leave nothing, and the next run starts clean', async () => {
  const tenantId = await jobs.database.createTenant();
  let runs = 0;
  jobs.work(() =>
    Promise.resolve(async (tx) => {
      await putSettings(tx, { guard_no_export: false });
      if (++runs === 1) throw new TypeError('half done');
      return { seen: await getSetting(tx, 'auto_apply') };
    }),
  );
  const job = await jobs.enqueue(tenantId);
  expect(await jobs.reached(tenantId, job.id, 'succeeded')).toMatchObject({
    attempt: 2,
    result: { seen: true },
  });
});

test('a queued job is cancelled at once and never runs', async () => {
  const tenantId = await jobs.database.createTenant();
  const job = await jobs.enqueue(tenantId);
  const { resource } = await jobs.database.db.inTenant(tenantId, (tx) => requestJobCancel(tx, job.id));
  expect(resource.state).toBe('cancelled');
  let ran = false;
  jobs.work(() => Promise.resolve(() => Promise.resolve({ ran: (ran = true) })));
  const later = await jobs.enqueue(await jobs.database.createTenant());
  await expect
    .poll(() => jobs.database.admin('SELECT state FROM job WHERE id = $1', [later.id]), POLLING)
    .toEqual([{ state: 'succeeded' }]);
  expect((await jobs.read(tenantId, job.id)).state).toBe('cancelled');
  expect(ran).toBe(true);
});

test('a running job is asked to stop and ends as cancelled, with nothing committed', async () => {
  const tenantId = await jobs.database.createTenant();
  jobs.work(async ({ signal, progress }) => {
    progress('collect', 3, 10);
    await sleep(600_000, undefined, { signal }).catch(() => undefined);
    return async (tx) => {
      await putSettings(tx, { auto_apply: false });
      return {};
    };
  });
  const job = await jobs.enqueue(tenantId);
  await expect
    .poll(async () => (await jobs.read(tenantId, job.id)).progress, POLLING)
    .toEqual({ phase: 'collect', done: 3, total: 10 });
  await jobs.database.db.inTenant(tenantId, (tx) => requestJobCancel(tx, job.id));
  expect(await jobs.reached(tenantId, job.id, 'cancelled')).toMatchObject({ error: null, result: null });
  expect(await jobs.database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(true);
});

test('whoever cancels a job waits for nothing that its commit does, and nothing of that stays', async () => {
  const tenantId = await jobs.database.createTenant();
  const [committing, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  jobs.work(() =>
    Promise.resolve(async (tx) => {
      await putSettings(tx, { auto_apply: false });
      committing.resolve();
      await released.promise;
      return {};
    }),
  );
  const job = await jobs.enqueue(tenantId);
  await committing.promise;
  const requests = openDatabase(jobs.database.address, { forRequests: true });
  // Its row would be free only once the commit ends, and requests wait for locks for three seconds.
  const cancelled = requests.inTenant(tenantId, (tx) => cancelJob(tx, job.id)).finally(released.resolve);
  expect((await cancelled).resource.state).toBe('running');
  expect(await jobs.reached(tenantId, job.id, 'cancelled')).toMatchObject({ error: null, result: null });
  expect(await jobs.database.db.inTenant(tenantId, (tx) => getSetting(tx, 'auto_apply'))).toBe(true);
  await requests.close();
});

test('one tenant with many jobs does not keep another waiting', async () => {
  const [busy, other] = [await jobs.database.createTenant(), await jobs.database.createTenant()];
  for (let i = 0; i < 30; i++) await jobs.enqueue(busy);
  const waiting = await jobs.enqueue(other);
  const order: string[] = [];
  jobs.work(async ({ tenantId }) => {
    order.push(tenantId);
    await sleep(20); // each takes a while, so that many wait
    return () => Promise.resolve({});
  });
  await jobs.reached(other, waiting.id, 'succeeded');
  expect(order.indexOf(other)).toBeLessThan(15);
  // Until they have ended: one that is interrupted would run in the next test.
  const open = () =>
    jobs.database.admin("SELECT FROM job WHERE tenant_id = $1 AND state <> 'succeeded'", [busy]);
  await expect.poll(async () => (await open()).length, POLLING).toBe(0);
  expect(order.length).toBe(31);
});
