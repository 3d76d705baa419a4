import type { PgBoss } from 'pg-boss';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOB_TYPES, type JobType } from '../../src/api/activity/jobs.ts';
import type { JobHandler, JobQueue } from '../../src/control/job.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let boss: PgBoss;
let queue: JobQueue;
let worker: Worker | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
  queue = createJobQueue(boss);
});
afterAll(async () => {
  await worker?.close();
  await boss.stop({ graceful: false });
  await database.close();
});

const MANY = 10_000;

/** This many jobs at once, as those are made that waited for a suspended tenant. */
async function flood(tx: TenantTx, many = MANY, type: JobType = 'apply'): Promise<void> {
  const jobs = Array.from({ length: many }, () => ({
    tenant_id: tx.tenantId,
    id: uuidv7(),
    type,
  }));
  for (let at = 0; at < many; at += 1000)
    await tx.sql
      .insertInto('job')
      .values(jobs.slice(at, at + 1000).map((job) => ({ ...job, input: '{}' })))
      .execute();
  await queue.resend(tx, jobs);
}

const enqueue = (tenantId: string, type: JobType = 'apply') =>
  database.db.inTenant(tenantId, (tx) =>
    queue.enqueue(tx, { type, input: {}, resource: null, requestedBy: 'key:test', parentId: null }),
  );

test('a tenant with 64 slow jobs leaves places to another, whose job starts at once', async () => {
  const [busy, quiet] = await Promise.all([1, 2].map(() => database.createTenant()));
  const running = new Map<string, number>();
  const released = Promise.withResolvers<void>();
  let most = 0;
  const slow: JobHandler = async ({ tenantId }) => {
    running.set(tenantId, (running.get(tenantId) ?? 0) + 1);
    most = Math.max(most, running.get(busy!) ?? 0);
    if (tenantId === busy) await released.promise;
    return () => Promise.resolve({});
  };
  const handlers = Object.fromEntries(JOB_TYPES.map((type) => [type, slow])) as Record<JobType, JobHandler>;
  worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  try {
    // All places are free, and all of them look for a job at the same moment.
    await database.db.inTenant(busy!, (tx) => flood(tx, 64));
    await expect.poll(() => running.get(busy!), { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    for (let n = 1; n <= 5; n++) {
      await enqueue(quiet!);
      await expect.poll(() => running.get(quiet!), { timeout: 60_000 }).toBe(n);
    }
    expect(most).toBe(2);
  } finally {
    released.resolve();
  }
  // What was put back, because the places of its tenant were taken, is not lost.
  const open = () => database.admin("SELECT FROM job WHERE tenant_id = $1 AND state <> 'succeeded'", [busy]);
  await expect.poll(async () => (await open()).length, { timeout: 60_000 }).toBe(0);
  await worker.close();
});

test('10,000 jobs of one tenant do not stand before those of others', async () => {
  const [busy, early, late] = await Promise.all([1, 2, 3].map(() => database.createTenant()));
  await database.db.inTenant(busy!, (tx) => flood(tx));
  await enqueue(early!);
  const order: string[] = [];
  const handler: JobHandler = ({ tenantId }) => {
    order.push(tenantId);
    return Promise.resolve(() => Promise.resolve({}));
  };
  const handlers = Object.fromEntries(JOB_TYPES.map((type) => [type, handler])) as Record<
    JobType,
    JobHandler
  >;
  worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  const begun = (tenantId: string) => order.includes(tenantId);
  // The last of all in the queue, among the first to start.
  await expect.poll(() => begun(early!), { timeout: 60_000 }).toBe(true);
  expect(order.indexOf(early!)).toBeLessThan(50);
  // And one that comes while the others run; what starts before it is noticed is all that stands before it.
  const before = order.length;
  await enqueue(late!);
  await expect.poll(() => begun(late!), { timeout: 60_000 }).toBe(true);
  expect(order.indexOf(late!) - before).toBeLessThan(1000);
  await worker.close();
});

test('two tenants whose jobs hang do not keep others waiting', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => database.createTenant()));
  await database.admin('DELETE FROM pgboss.job'); // what the test before has left
  const [first, second, ...others] = tenants as [string, string, ...string[]];
  const released = Promise.withResolvers<void>();
  const begun: string[] = [];
  const handler: JobHandler = async ({ tenantId }) => {
    begun.push(tenantId);
    if (tenantId === first || tenantId === second) await released.promise;
    return () => Promise.resolve({});
  };
  const handlers = Object.fromEntries(JOB_TYPES.map((type) => [type, handler])) as Record<
    JobType,
    JobHandler
  >;
  worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  try {
    for (const tenant of [first, second]) await database.db.inTenant(tenant, (tx) => flood(tx, 4));
    await expect.poll(() => begun.length, { timeout: 60_000 }).toBe(4);
    for (const tenant of others) await enqueue(tenant);
    await expect.poll(() => others.every((tenant) => begun.includes(tenant)), { timeout: 60_000 }).toBe(true);
    expect(begun.filter((tenant) => tenant === first || tenant === second)).toHaveLength(4);
  } finally {
    released.resolve();
  }
  await expect.poll(() => begun.length, { timeout: 60_000 }).toBe(8 + others.length);
  await worker.close();
});

test('tenants with many jobs, more of them than there are places, do not stand before another', async () => {
  const loud = await Promise.all(Array.from({ length: 14 }, () => database.createTenant()));
  const quiet = await database.createTenant();
  const type = 'revision_prune'; // nothing of it is left of other tests
  const first = await enqueue(loud[0]!, type);
  for (const tenant of loud) await database.db.inTenant(tenant, (tx) => flood(tx, 40, type));
  const order: { tenantId: string; id: string }[] = [];
  const asked: string[] = [];
  const handler: JobHandler = async ({ tenantId, job: { id } }) => {
    order.push({ tenantId, id });
    // While the others work, again and again: a stream of jobs, each of which is the first of its tenant.
    if (order.length % 100 === 0) asked.push((await enqueue(quiet, type)).id);
    return () => Promise.resolve({});
  };
  const handlers = Object.fromEntries(JOB_TYPES.map((one) => [one, handler])) as Record<JobType, JobHandler>;
  worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  await expect.poll(() => order.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(1 + 14 * 40 + 5);
  await worker.close();
  expect(order.findIndex(({ id }) => id === first.id)).toBeLessThan(20);
  for (const [index, id] of asked.slice(0, 4).entries()) {
    const waited = order.findIndex((one) => one.id === id) - (index + 1) * 100;
    // One of each of the others that is as far as this tenant, and what ran when it was asked for.
    expect(waited).toBeLessThan(60);
  }
  // Nor do some of the loud ones wait for the others.
  const places = loud.map((tenant) =>
    order.flatMap(({ tenantId }, place) => (tenantId === tenant ? [place] : [])),
  );
  expect(Math.max(...places.map((all) => all[9]!))).toBeLessThan(Math.min(...places.map((all) => all[35]!)));
});
