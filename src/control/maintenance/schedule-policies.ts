import { Problem } from '../../api/problems/problem.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import {
  listTenantsWithDuePolicies,
  lockDuePolicies,
  readDatabaseTime,
  setNextRun,
} from '../../store/maintenance/policies.ts';
import type { JobQueue } from '../job.ts';
import type { ScheduleTools } from '../collection/schedule-refreshes.ts';
import { SCHEDULER } from '../actor.ts';
import { nextRun } from './cron.ts';
import { queuePolicyRun } from './policies.ts';

/** Queues a run of every policy that is due, once however many processes do this, and once for all runs that were missed. */
export async function schedulePolicies({ db, queue, onFault }: ScheduleTools): Promise<void> {
  for (const tenantId of await db.inSystem(listTenantsWithDuePolicies)) {
    try {
      await db.inTenant(tenantId, (tx) => queueDuePolicies(tx, queue));
    } catch (error) {
      // A queue that is full takes it later: it stays due.
      if (!(error instanceof Problem && error.code === 'quota_exceeded')) onFault(tenantId, error);
    }
  }
}

async function queueDuePolicies(tx: TenantTx, queue: JobQueue): Promise<void> {
  for (const { id, name, schedule } of await lockDuePolicies(tx)) {
    await setNextRun(tx, id, schedule === null ? null : nextRun(schedule, await readDatabaseTime(tx)));
    // A run that lasts longer than from one time to the next does not get another one behind it.
    if ((await findOpenJob(tx, { type: 'maintenance_policy_run', resourceId: id })) !== null) continue;
    const job = await queuePolicyRun(tx, queue, id, SCHEDULER);
    await recordAudit(tx, {
      actor: SCHEDULER,
      action: 'maintenance_policy.run',
      resource: { id, name },
      changes: { after: { job_id: job.id, job_type: job.type } },
    });
  }
}
