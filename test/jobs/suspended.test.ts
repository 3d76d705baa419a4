import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { JOB_TYPES, type Job, type JobState, type JobType } from '../../src/api/activity/jobs.ts';
import { changeTenant } from '../../src/control/tenants/tenants.ts';
import type { ControlContext } from '../../src/control/context.ts';
import type { JobHandler } from '../../src/control/job.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { getJob } from '../../src/store/jobs/jobs.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let boss: PgBoss;
let context: ControlContext;
let manager: string;
let worker: Worker | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
  const secrets = new SecretBox(Buffer.alloc(32, 5));
  context = {
    actor: 'key:test',
    role: 'super_admin',
    speakerId: null,
    firewallClientId: null,
    queue: createJobQueue(boss),
    secrets,
    peerReach: { allow: [], own: [] },
    drivenDaemons: ['builtin'],
  };
  manager = await database.createTenant();
});
afterEach(async () => {
  await worker?.close();
  worker = undefined;
});
afterAll(async () => {
  await boss.stop({ graceful: false });
  await database.close();
});

const POLLING = { timeout: 60_000, interval: 50 };

function work(handler: JobHandler): void {
  const handlers = Object.fromEntries(JOB_TYPES.map((type) => [type, handler])) as Record<
    JobType,
    JobHandler
  >;
  worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
}

const setStatus = (id: string, status: 'active' | 'suspended') =>
  database.db.inTenant(manager, (tx) => changeTenant(tx, context, id, { status }, null));

const enqueue = (tenantId: string, type: JobType = 'apply'): Promise<Job> =>
  database.db.inTenant(tenantId, (tx) =>
    context.queue.enqueue(tx, { type, input: {}, resource: null, requestedBy: 'key:test', parentId: null }),
  );

const read = async (tenantId: string, id: string): Promise<Job> =>
  (await database.db.inTenant(tenantId, (tx) => getJob(tx, id))).resource;

const reached = (tenantId: string, id: string, state: JobState): Promise<void> =>
  expect.poll(async () => (await read(tenantId, id)).state, POLLING).toBe(state);

const parked = async (tenantId: string): Promise<number> =>
  (await database.admin('SELECT 1 FROM job WHERE tenant_id = $1 AND parked_at IS NOT NULL', [tenantId]))
    .length;

test('jobs of a suspended tenant wait, those of others run, and each runs once when it is active again', async () => {
  const [tenantId, other] = [await database.createTenant(), await database.createTenant()];
  const jobs = [];
  for (let i = 0; i < 20; i++) jobs.push(await enqueue(tenantId, i % 2 === 0 ? 'apply' : 'peer_reconcile'));
  await setStatus(tenantId, 'suspended');
  const runs = new Map<string, number>();
  work(({ job }) => {
    runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    return Promise.resolve(() => Promise.resolve({}));
  });
  const free = await enqueue(other);
  await reached(other, free.id, 'succeeded');
  await expect.poll(() => parked(tenantId), POLLING).toBe(20);
  expect(jobs.some(({ id }) => runs.has(id))).toBe(false);
  expect((await read(tenantId, jobs[0]!.id)).attempt).toBe(0);
  await setStatus(tenantId, 'active');
  for (const { id } of jobs) await reached(tenantId, id, 'succeeded');
  expect(jobs.map(({ id }) => runs.get(id))).toEqual(jobs.map(() => 1));
});

test('a job that runs when its tenant is suspended stops, commits nothing, and runs again later', async () => {
  const tenantId = await database.createTenant();
  let stopped = 0;
  let mayEnd = false;
  work(async ({ signal, tenantId: own }) => {
    if (own === tenantId && !mayEnd)
      await sleep(600_000, undefined, { signal }).catch((error: unknown) => {
        stopped++;
        throw error;
      });
    return () => Promise.resolve({ done: true });
  });
  const job = await enqueue(tenantId);
  await reached(tenantId, job.id, 'running');
  await setStatus(tenantId, 'suspended');
  await expect.poll(() => parked(tenantId), POLLING).toBe(1);
  expect(stopped).toBe(1);
  expect(await read(tenantId, job.id)).toMatchObject({ state: 'queued', result: null });
  mayEnd = true;
  await setStatus(tenantId, 'active');
  await reached(tenantId, job.id, 'succeeded');
  expect(await read(tenantId, job.id)).toMatchObject({ attempt: 1, result: { done: true } });
});

test('a tenant that is active again brings back its own jobs, and none of one that is suspended still', async () => {
  const [tenantId, other] = [await database.createTenant(), await database.createTenant()];
  const [job, left] = [await enqueue(tenantId), await enqueue(other)];
  await setStatus(tenantId, 'suspended');
  await setStatus(other, 'suspended');
  const handler: JobHandler = () => Promise.resolve(() => Promise.resolve({}));
  work(handler);
  for (const id of [tenantId, other]) await expect.poll(() => parked(id), POLLING).toBe(1);
  // A worker would put it back at once.
  await worker!.close();
  await setStatus(tenantId, 'active');
  expect([await parked(tenantId), await parked(other)]).toEqual([0, 1]);
  work(handler);
  await reached(tenantId, job.id, 'succeeded');
  expect(await read(other, left.id)).toMatchObject({ state: 'queued', attempt: 0 });
  await setStatus(other, 'active');
  await reached(other, left.id, 'succeeded');
});

test('a job that was cancelled meanwhile does not run', async () => {
  const tenantId = await database.createTenant();
  const job = await enqueue(tenantId);
  await setStatus(tenantId, 'suspended');
  const ran: string[] = [];
  work(({ job: { id } }) => {
    ran.push(id);
    return Promise.resolve(() => Promise.resolve({}));
  });
  await expect.poll(() => parked(tenantId), POLLING).toBe(1);
  await database.admin("UPDATE job SET state = 'cancelled', finished_at = now() WHERE id = $1", [job.id]);
  await setStatus(tenantId, 'active');
  const later = await enqueue(tenantId);
  await reached(tenantId, later.id, 'succeeded');
  expect(ran).toEqual([later.id]);
});
