/** A refresh that waits for another one of its module, which ends at the worst moment. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Job } from '../../src/api/activity/jobs.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import type { Database } from '../../src/store/database/database.ts';
import { finishJob, startJob } from '../../src/store/jobs/job-runs.ts';
import { handlersOf } from './handlers.ts';
import { useWorkers } from './working.ts';

const working = useWorkers();

const handlers = handlersOf(() => Promise.resolve(() => Promise.resolve({})));

/** Two refreshes of one module: the first runs elsewhere, the second waits in the queue. */
async function twoRefreshes(): Promise<{ tenantId: string; first: Job; second: Job }> {
  const { database, boss, queue } = working;
  const tenantId = await database.createTenant();
  const resource = { type: 'module', id: randomUUID() } as const;
  const enqueue = (): Promise<Job> => working.enqueue(tenantId, { type: 'module_refresh', resource });
  const [first, second] = [await enqueue(), await enqueue()];
  await database.db.inTenant(tenantId, (tx) => startJob(tx, first.id, randomUUID()));
  // Its message is of the process that runs it.
  await boss.deleteQueuedJobs('prefixcast_module_refresh');
  await database.db.inTenant(tenantId, (tx) =>
    queue.resend(tx, [{ tenant_id: tenantId, id: second.id, type: 'module_refresh' }]),
  );
  return { tenantId, first, second };
}

/** The database as a worker has it, where something happens once its first transaction in the tenant has ended. */
function databaseWhere(happens: () => Promise<unknown>): Database {
  const { db } = working.database;
  let once: Promise<unknown> | null = null;
  return {
    alone: (work) => db.alone(work),
    listen: (channel, onHint) => db.listen(channel, onHint),
    async inTenant(id, work, lock) {
      const result = await db.inTenant(id, work, lock);
      await (once ??= happens());
      return result;
    },
  } as Pick<Database, 'alone' | 'inTenant' | 'listen'> as Database;
}

test('one whose equal ends between two looks is done, and not left in the queue for ever', async () => {
  const { tenantId, first, second } = await twoRefreshes();
  const { boss, database } = working;
  const end = (): Promise<unknown> =>
    database.db.inTenant(tenantId, (tx) =>
      finishJob(tx, first.id, { state: 'succeeded', result: {}, error: null }),
    );
  const worker = startWorker({ boss, db: databaseWhere(end), handlers, onFault: () => undefined });
  try {
    const state = async (id: string): Promise<string> => (await working.read(tenantId, id)).state;
    await expect.poll(() => state(first.id)).toBe('succeeded');
    await expect.poll(() => state(second.id)).toBe('succeeded');
  } finally {
    await worker.close();
  }
});

test('one of a tenant that is suspended meanwhile is parked, and not tried again and again', async () => {
  const { tenantId, second } = await twoRefreshes();
  const { boss, database } = working;
  await database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [tenantId]);
  let tries = 0;
  const counting = databaseWhere(() => Promise.resolve());
  const db: Database = Object.create(counting, {
    inTenant: {
      value(...given: Parameters<Database['inTenant']>) {
        tries++;
        return counting.inTenant(...given);
      },
    },
  }) as Database;
  const worker = startWorker({ boss, db, handlers, onFault: () => undefined });
  try {
    const parked = (): Promise<unknown[]> =>
      database.admin('SELECT FROM job WHERE id = $1 AND parked_at IS NOT NULL', [second.id]);
    await expect.poll(parked).toHaveLength(1);
  } finally {
    // Which waits for the end of what it tries.
    await worker.close();
  }
  expect(tries).toBe(1);
});
