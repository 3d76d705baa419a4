import type { PgBoss } from 'pg-boss';
import { JOB_TYPES } from '../api/activity/jobs.ts';
import type { Database } from '../store/database/database.ts';
import { listQueuedJobs } from '../store/jobs/jobs.ts';
import { createJobQueue, queueOf } from './queue.ts';

/**
 * Sends a message of each job that waits without one, as some did that an earlier version had left to an equal job which had just ended: nothing
 * would ever take them, and every later request for their modules would be given them. A job and its message are committed together, so the
 * jobs are read first. Of workers that start at once, one sends them: the others look again when they have the lock, and find its messages.
 */
export async function resumeLostJobs(db: Database, boss: PgBoss): Promise<void> {
  const lost = await withoutMessage(boss, await db.inSystem(listQueuedJobs));
  const queue = createJobQueue(boss);
  for (const [tenantId, jobs] of Map.groupBy(lost, ({ tenant_id: id }) => id))
    await db.inTenant(
      tenantId,
      async (tx) => queue.resend(tx, await withoutMessage(boss, jobs)),
      'lost jobs',
    );
}

async function withoutMessage<T extends { readonly id: string }>(
  boss: PgBoss,
  jobs: readonly T[],
): Promise<T[]> {
  if (jobs.length === 0) return [];
  const statement = `SELECT data ->> 'job_id' AS id FROM pgboss.job
    WHERE name = ANY ($1) AND state < 'completed' AND data ->> 'job_id' = ANY ($2)`;
  const { rows } = await boss
    .getDb()
    .executeSql(statement, [JOB_TYPES.map(queueOf), jobs.map(({ id }) => id)]);
  const known = new Set((rows as { readonly id: string }[]).map(({ id }) => id));
  return jobs.filter(({ id }) => !known.has(id));
}
