/** A database with a queue of jobs, and workers that run them. */
import type { PgBoss } from 'pg-boss';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Job, JobState } from '../../src/api/activity/jobs.ts';
import type { JobHandler, JobQueue, JobRequest } from '../../src/control/job.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { getJob } from '../../src/store/jobs/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { handlersOf, type Handlers } from './handlers.ts';

export const POLLING = { interval: 50 };

class Working {
  #database: TestDatabase | null = null;
  #boss: PgBoss | null = null;
  #workers: Worker[] = [];
  /** What workers could not do. */
  readonly faults: unknown[] = [];

  async open(): Promise<void> {
    this.#database = await createTestDatabase();
    this.#boss = await startBoss(this.#database.address, () => undefined);
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    this.#workers = [];
  }

  async close(): Promise<void> {
    await this.#boss?.stop({ graceful: false });
    await this.#database?.close();
  }

  get database(): TestDatabase {
    return this.#database!;
  }

  get boss(): PgBoss {
    return this.#boss!;
  }

  get queue(): JobQueue {
    return createJobQueue(this.boss);
  }

  /** Starts a worker that does this for jobs of all types but the others. It stops when the test ends. */
  work(handler: JobHandler, others: Partial<Handlers> = {}): Worker {
    const worker = startWorker({
      ...{ boss: this.boss, db: this.database.db, handlers: handlersOf(handler, others) },
      onFault: (_job, error) => this.faults.push(error),
    });
    this.#workers.push(worker);
    return worker;
  }

  enqueue(tenantId: string, request: Partial<JobRequest> = {}): Promise<Job> {
    const whole = {
      type: 'apply',
      input: {},
      resource: null,
      requestedBy: 'key:test',
      parentId: null,
      ...request,
    } as const;
    return this.database.db.inTenant(tenantId, (tx) => this.queue.enqueue(tx, whole));
  }

  async read(tenantId: string, id: string): Promise<Job> {
    return (await this.database.db.inTenant(tenantId, (tx) => getJob(tx, id))).resource;
  }

  async reached(tenantId: string, id: string, state: JobState): Promise<Job> {
    await expect.poll(async () => (await this.read(tenantId, id)).state, POLLING).toBe(state);
    return this.read(tenantId, id);
  }
}

/** It is there from `beforeAll` on, and its workers stop after each test. */
export function useWorkers(): Working {
  const working = new Working();
  beforeAll(() => working.open());
  afterEach(() => working.stopWorkers());
  afterAll(() => working.close());
  return working;
}
