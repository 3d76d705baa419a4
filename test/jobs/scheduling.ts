/** A database with a queue of jobs, and what the scheduler works with. */
import type { PgBoss } from 'pg-boss';
import { afterAll, beforeAll } from 'vitest';
import type { Job } from '../../src/api/activity/jobs.ts';
import type { JobQueue } from '../../src/control/job.ts';
import type { ScheduleTools } from '../../src/control/collection/schedule-refreshes.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { listJobs } from '../../src/store/jobs/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

export interface Scheduling {
  readonly database: TestDatabase;
  readonly queue: JobQueue;
  readonly tools: ScheduleTools;
  /** What the scheduler could not do. */
  readonly faults: unknown[];
}

/** It is there from `beforeAll` on. */
export function useScheduling(): Scheduling {
  const scheduling = { faults: [] } as unknown as { -readonly [Part in keyof Scheduling]: Scheduling[Part] };
  let boss: PgBoss | undefined;
  beforeAll(async () => {
    scheduling.database = await createTestDatabase();
    boss = await startBoss(scheduling.database.address, () => undefined);
    scheduling.queue = createJobQueue(boss);
    const onFault = (_tenant: string | null, error: unknown): unknown => scheduling.faults.push(error);
    scheduling.tools = { db: scheduling.database.db, queue: scheduling.queue, onFault };
  });
  afterAll(async () => {
    await boss?.stop({ graceful: false });
    await scheduling.database?.close();
  });
  return scheduling;
}

export type Run = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** A tenant, and how to work in it. */
export async function newTenant({ database }: Scheduling): Promise<{ id: string; run: Run }> {
  const id = await database.createTenant();
  return { id, run: (work) => database.db.inTenant(id, work) };
}

export const jobsOf = async (run: Run): Promise<Job[]> => [
  ...(await run((tx) => listJobs(tx, { type: 'module_refresh', limit: 500 }))).items,
];
