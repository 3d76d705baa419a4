import type { Database } from '../../store/database/database.ts';
import { asSystem } from '../../store/database/database.ts';
import { tenantsWithParkedJobs, unparkJobs } from '../../store/tenants/tenants.ts';
import type { JobQueue } from '../job.ts';

/** Jobs of active tenants wait without a message after a restore alone: the messages of a queue are in no backup. */
export async function resumeParkedJobs(db: Database, queue: JobQueue): Promise<void> {
  for (const tenantId of await db.inSystem(tenantsWithParkedJobs))
    await db.inTenant(tenantId, async (tx) =>
      queue.resend(tx, await asSystem(tx, (system) => unparkJobs(system, tenantId))),
    );
}
