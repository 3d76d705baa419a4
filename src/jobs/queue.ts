/**
 * Jobs: work that outlives a request. queue.ts puts a job row and a message of pg-boss into the transaction of the change that
 * causes the work; worker.ts takes messages and runs the handlers of job-table.ts. The row is what people see and what
 * decides; the message only says that there is something to look at.
 */
import { PgBoss, fromKysely } from 'pg-boss';
import { JOB_TYPES, type JobType } from '../api/jobs.ts';
import type { JobQueue } from '../control/job.ts';
import type { DatabaseAddress } from '../store/database/database-address.ts';
import { asOwner } from '../store/database/database.ts';
import { insertJob } from '../store/jobs.ts';

/** What a message says: where the row is. */
export interface JobMessage {
  readonly tenant_id: string;
  readonly job_id: string;
}

/** A worker that stops telling of itself this long is taken for dead. The least that pg-boss allows. */
const HEARTBEAT_SECONDS = 10;

/** Runs of one job, the first included: a crash or an unexpected fault is tried again, a refusal is not. */
export const MAX_ATTEMPTS = 3;

/** More than interrupted runs ever need. */
const DELIVERIES = 10_000;

/**
 * How long a message waits for a worker: ten years. After two weeks, pg-boss would take it away, and its row would wait for ever: no
 * module is due of which a refresh is queued.
 */
const WAITING_SECONDS = 10 * 366 * 24 * 3600;

export interface BossOptions {
  readonly onFault: (error: unknown) => void;
  /** Looks for dead workers too; every process that runs workers does. */
  readonly supervise: boolean;
}

/** Connects pg-boss and makes its tables and queues where they are missing. */
export async function startBoss(
  address: DatabaseAddress,
  { onFault, supervise }: BossOptions,
): Promise<PgBoss> {
  const boss = new PgBoss({
    ...address,
    schema: 'pgboss',
    application_name: 'prefixcast-jobs',
    max: 4,
    supervise,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    schedule: false,
    useListenNotify: true,
    persistWarnings: false,
  });
  boss.on('error', onFault);
  await boss.start();
  for (const type of JOB_TYPES) {
    await boss.createQueue(queueOf(type), {
      notify: true,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: 3600,
      // The row counts attempts; a message that gave up before would leave it waiting for ever.
      retryLimit: DELIVERIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 30,
    });
  }
  return boss;
}

/** Sends a message again that a worker took and cannot serve now; a moment later, so that nobody takes it again and again. */
export async function putBack(boss: PgBoss, type: JobType, message: JobMessage): Promise<void> {
  await boss.send(queueOf(type), message, { ...delivery(message), startAfter: 1 });
}

/** How every message is sent. The tenant is the group: workers share themselves out among groups. */
function delivery({ tenant_id: id }: JobMessage): {
  readonly group: { readonly id: string };
  readonly retentionSeconds: number;
} {
  return { group: { id }, retentionSeconds: WAITING_SECONDS };
}

/** A queue for each type, so that slow refreshes never stand before a quick reconciliation. */
export function queueOf(type: JobType): string {
  return `prefixcast_${type}`;
}

export function createJobQueue(boss: PgBoss): JobQueue {
  return {
    async enqueue(tx, request) {
      const job = await insertJob(tx, request);
      const message: JobMessage = { tenant_id: tx.tenantId, job_id: job.id };
      await asOwner(tx, (owner) =>
        boss.send(queueOf(job.type), message, { ...delivery(message), db: fromKysely(owner) }),
      );
      return job;
    },
    async resend(tx, jobs, afterSeconds = 0) {
      const byType = Map.groupBy(jobs, ({ type }) => type);
      for (const [type, some] of byType) {
        const messages = some.map(({ tenant_id, id: job_id }) => {
          const data: JobMessage = { tenant_id, job_id };
          return { data, ...delivery(data), ...(afterSeconds > 0 ? { startAfter: afterSeconds } : {}) };
        });
        await asOwner(tx, (owner) => boss.insert(queueOf(type), messages, { db: fromKysely(owner) }));
      }
    },
  };
}
