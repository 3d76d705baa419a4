import type { PgBoss } from 'pg-boss';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOB_TYPES, type JobType } from '../../src/api/jobs.ts';
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
  boss = await startBoss(database.address, { onFault: () => undefined, supervise: true });
  queue = createJobQueue(boss);
});
afterAll(async () => {
  await worker?.close();
  await boss.stop({ graceful: false });
  await database.close();
});

const MANY = 10_000;

/** So many jobs at once, as those are made that waited for a suspended tenant. */
async function flood(tx: TenantTx): Promise<void> {
  const jobs = Array.from({ length: MANY }, () => ({
    tenant_id: tx.tenantId,
    id: uuidv7(),
    type: 'apply' as const,
  }));
  for (let at = 0; at < MANY; at += 1000)
    await tx.sql
      .insertInto('job')
      .values(jobs.slice(at, at + 1000).map((job) => ({ ...job, input: '{}' })))
      .execute();
  await queue.resend(tx, jobs);
}

const enqueue = (tenantId: string) =>
  database.db.inTenant(tenantId, (tx) =>
    queue.enqueue(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'key:test', parentId: null }),
  );

test('10,000 jobs of one tenant do not stand before those of others', async () => {
  const [busy, early, late] = await Promise.all([1, 2, 3].map(() => database.createTenant()));
  await database.db.inTenant(busy!, flood);
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
  worker = await startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  const begun = (tenantId: string) => order.includes(tenantId);
  // The last of all in the queue, among the first to start.
  await expect.poll(() => begun(early!), { timeout: 60_000 }).toBe(true);
  expect(order.indexOf(early!)).toBeLessThan(50);
  // And one that comes while the others run; what starts before it is noticed is all that stands before it.
  const before = order.length;
  await enqueue(late!);
  await expect.poll(() => begun(late!), { timeout: 60_000 }).toBe(true);
  expect(order.indexOf(late!) - before).toBeLessThan(1000);
}, 180_000);
