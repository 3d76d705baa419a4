/** A worker on a machine with too much to do: the messages of runs that go on are delivered once more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src/api/activity/jobs.ts';
import type { JobContext } from '../../src/control/job.ts';
import { jobTable } from '../../src/jobs/job-table.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { getJob } from '../../src/store/jobs/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

// What is delivered again waits longer each time.
const POLLING = { timeout: 150_000, interval: 500 };

let database: TestDatabase;
let boss: PgBoss;
let worker: Worker;
const gate = Promise.withResolvers<void>();
let runs = 0;

/** Goes on until the gate is opened, or the job is taken away from it. */
async function hold({ signal }: Pick<JobContext, 'signal'>) {
  const run = ++runs;
  await Promise.race([gate.promise, sleep(600_000, undefined, { signal })]);
  return () => Promise.resolve({ run });
}

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
  const handlers = { ...jobTable({} as Parameters<typeof jobTable>[0]), apply: hold };
  worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
});
afterAll(async () => {
  gate.resolve();
  await worker?.close();
  await boss?.stop({ graceful: false });
  await database?.close();
});

test('a run whose heartbeats come late again and again is no dead worker', async () => {
  const tenantId = await database.createTenant();
  const { id } = await database.db.inTenant(tenantId, (tx) =>
    createJobQueue(boss).enqueue(tx, {
      ...{ type: 'apply', input: {}, resource: null, requestedBy: 'key:test', parentId: null },
    }),
  );
  const read = async (): Promise<Job> =>
    (await database.db.inTenant(tenantId, (tx) => getJob(tx, id))).resource;
  await expect.poll(async () => (await read()).state, POLLING).toBe('running');
  const message = async (): Promise<{ state: string; retry_count: number }> =>
    (
      await database.admin<{ state: string; retry_count: number }>(
        "SELECT state::text, retry_count FROM pgboss.job WHERE data ->> 'job_id' = $1",
        [id],
      )
    )[0]!;
  // As often as deaths of a worker end a job.
  for (const deliveries of [1, 2, 3]) {
    const isDelivered = async (): Promise<boolean> => {
      await database.admin(
        "UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE data ->> 'job_id' = $1 AND retry_count < $2",
        [id, deliveries],
      );
      const { state, retry_count: count } = await message();
      return state === 'active' && count === deliveries;
    };
    await expect.poll(isDelivered, POLLING).toBe(true);
  }
  gate.resolve();
  await expect.poll(async () => (await read()).state, POLLING).toBe('succeeded');
  expect(await read()).toMatchObject({ attempt: 1, result: { run: 1 } });
  await expect.poll(async () => (await message()).state, POLLING).toBe('completed');
}, 600_000);
