import type { PgBoss } from 'pg-boss';
import { JOB_TYPES } from '../api/activity/jobs.ts';
import type { Database } from '../store/database/database.ts';
import { listQueuedJobs } from '../store/jobs/jobs.ts';
import { createJobQueue, queueOf } from './queue.ts';

/**
 * Sends a message of each job that waits without one, as some did that an earlier version had left to an equal job which had just ended: nothing
 * would ever take them, and every later request for their modules would be given them. A job and its message are committed together, so the
 * jobs are read first.
 */
export async function resumeLostJobs(db: Database, boss: PgBoss): Promise<void> {
  const waiting = await db.inSystem(listQueuedJobs);
  if (waiting.length === 0) return;
  const statement = `SELECT data ->> 'job_id' AS id FROM pgboss.job WHERE name = ANY ($1) AND state < 'completed'`;
  const { rows } = await boss.getDb().executeSql(statement, [JOB_TYPES.map(queueOf)]);
  const known = new Set((rows as { readonly id: string }[]).map(({ id }) => id));
  const lost = waiting.filter(({ id }) => !known.has(id));
  const queue = createJobQueue(boss);
  for (const [tenantId, jobs] of Map.groupBy(lost, ({ tenant_id: id }) => id))
    await db.inTenant(tenantId, (tx) => queue.resend(tx, jobs));
}
