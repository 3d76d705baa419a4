/** Jobs that are taken away from a worker that lives: on a machine with too much to do, its heartbeats come late. */
import { randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src/api/activity/jobs.ts';
import { jobTable } from '../../src/jobs/job-table.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { startJob } from '../../src/store/jobs/job-runs.ts';
import { getJob } from '../../src/store/jobs/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let boss: PgBoss;

beforeAll(async () => {
  database = await createTestDatabase();
  boss = await startBoss(database.address, () => undefined);
});
afterAll(async () => {
  await boss?.stop({ graceful: false });
  await database?.close();
});

test.each(['ends', 'stops'])(
  'a worker that finds as it %s that another has taken its job is no death: it takes the attempt back that was counted',
  async (when) => {
    const tenantId = await database.createTenant();
    const gate = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const apply = async () => {
      await gate.promise;
      setImmediate(() => ended.resolve());
      return () => Promise.resolve({});
    };
    const handlers = { ...jobTable({} as Parameters<typeof jobTable>[0]), apply };
    const worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
    const { id } = await database.db.inTenant(tenantId, (tx) =>
      createJobQueue(boss).enqueue(tx, {
        ...{ type: 'apply', input: {}, resource: null, requestedBy: 'key:test', parentId: null },
      }),
    );
    const read = async (): Promise<Job> =>
      (await database.db.inTenant(tenantId, (tx) => getJob(tx, id))).resource;
    await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('running');
    // As another process does to which the message of a worker without heartbeats is delivered.
    const taken = await database.db.inTenant(tenantId, (tx) => startJob(tx, id, randomUUID()));
    expect(taken?.job.attempt).toBe(2);
    if (when === 'ends') {
      gate.resolve();
      await ended.promise;
    }
    const closing = worker.close();
    gate.resolve();
    await closing;
    expect(await read()).toMatchObject({ state: 'running', attempt: 1 });
  },
  120_000,
);
