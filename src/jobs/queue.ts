/**
 * Jobs: work that outlives a request. queue.ts adds a job row and a pg-boss message to the transaction of the change that causes the work;
 * worker.ts takes messages (intake.ts) and runs the handlers of job-table.ts (run-job.ts). The row is what people see and what decides; the
 * message only says that there is a row to look at.
 */
import { PgBoss, fromKysely } from 'pg-boss';
import { JOB_TYPES, type JobType } from '../api/activity/jobs.ts';
import type { JobQueue } from '../control/job.ts';
import type { DatabaseAddress } from '../store/database/database-address.ts';
import { asOwner, notify } from '../store/database/database.ts';
import { insertNextJob, JOBS_CHANNEL } from '../store/jobs/jobs.ts';
import { nextTurn } from './turns.ts';

/** A message: where the row is. */
export interface JobMessage {
  readonly tenant_id: string;
  readonly job_id: string;
}

/** A worker without a heartbeat for this long counts as dead. It is the minimum of pg-boss. */
export const HEARTBEAT_SECONDS = 10;

/** pg-boss passes these on: without them a query on a connection that died silently would wait for a quarter of an hour. */
const POOL = { query_timeout: 60_000, keepAlive: true } as const;

/** Seconds between searches for messages of dead workers while there are jobs. */
export const SUPERVISE_SECONDS = 5;

/** Runs of one job, the first included: a crash or an unexpected fault is retried, a refusal is not. */
export const MAX_ATTEMPTS = 3;

/** More than interrupted runs ever need. */
const DELIVERIES = 10_000;

/**
 * How long a message waits for a worker: ten years. pg-boss's default is two weeks, after which it would delete the message and the row
 * would wait for ever: a module with a queued refresh is never due.
 */
const WAITING_SECONDS = 10 * 366 * 24 * 3600;

/** Connects pg-boss and makes its tables and queues where they are missing. */
export async function startBoss(
  address: DatabaseAddress,
  onFault: (error: unknown) => void,
): Promise<PgBoss> {
  const boss = new PgBoss({
    ...address,
    schema: 'pgboss',
    application_name: 'prefixcast-jobs',
    max: 4,
    ...POOL,
    // Workers do it while there are jobs: see worker.ts.
    supervise: false,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // No job in this queue depends on others.
    flowIntervalSeconds: 86_400,
    schedule: false,
    persistWarnings: false,
  });
  boss.on('error', onFault);
  await boss.start();
  for (const type of JOB_TYPES) {
    await boss.createQueue(queueOf(type), {
      heartbeatSeconds: HEARTBEAT_SECONDS,
      // A run may take hours; a dead worker's run is found by its heartbeat.
      expireInSeconds: 86_400,
      // The row counts attempts; if the message expired before, the row would wait for ever.
      retryLimit: DELIVERIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 30,
    });
  }
  return boss;
}

/** Options of every message. The tenant is the group: workers are divided among groups, which are served in turns. */
function delivery(
  { tenant_id: id }: JobMessage,
  turn: number,
): {
  readonly group: { readonly id: string };
  readonly priority: number;
  readonly retentionSeconds: number;
} {
  return { group: { id }, priority: -turn, retentionSeconds: WAITING_SECONDS };
}

/** A queue for each type, so that slow refreshes never delay a quick reconciliation. */
export function queueOf(type: JobType): string {
  return `prefixcast_${type}`;
}

export function createJobQueue(boss: PgBoss): JobQueue {
  return {
    async enqueue(tx, request) {
      const { job, isFirst } = await insertNextJob(tx, request);
      const queue = queueOf(job.type);
      asOwner(tx, async (owner) => {
        const turn = await nextTurn(owner, { queue, tenantId: tx.tenantId, isFirst });
        const message: JobMessage = { tenant_id: tx.tenantId, job_id: job.id };
        await boss.send(queue, message, { ...delivery(message, turn), db: fromKysely(owner) });
      });
      return job;
    },
    async resend(tx, jobs, afterSeconds = 0) {
      const byType = Map.groupBy(jobs, ({ type }) => type);
      for (const [type, some] of byType) {
        const queue = queueOf(type);
        asOwner(tx, async (owner) => {
          const { tenant_id: tenantId } = some[0]!;
          const turn = await nextTurn(owner, { queue, tenantId, isFirst: false });
          const messages = some.map(({ tenant_id, id: job_id }, index) => {
            const data: JobMessage = { tenant_id, job_id };
            return {
              data,
              ...delivery(data, turn + index),
              ...(afterSeconds > 0 ? { startAfter: afterSeconds } : {}),
            };
          });
          await boss.insert(queue, messages, { db: fromKysely(owner) });
        });
        if (afterSeconds === 0) await notify(tx, JOBS_CHANNEL, type);
      }
    },
  };
}
