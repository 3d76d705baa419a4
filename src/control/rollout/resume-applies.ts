import type { Job } from '../../api/activity/jobs.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listJobs } from '../../store/jobs/jobs.ts';
import { findLatestReadyRevision } from '../../store/revisions/revisions.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import type { JobQueue } from '../job.ts';

/**
 * Queues the apply that the freeze stopped, now that it is over: that of the latest revision, if nothing was applied since and revisions
 * are applied by themselves. An older revision that an operator applied before the freeze stays.
 * @returns null: nothing waited
 */
export async function resumeApplies(tx: TenantTx, queue: JobQueue, actor: string): Promise<Job | null> {
  const latest = await findLatestReadyRevision(tx);
  const [newest] = (await listJobs(tx, { type: 'apply', limit: 1 })).items;
  const waits = newest?.resource?.id === latest?.id && newest?.error?.code === 'deploy_frozen';
  if (latest === null || !waits || !(await getSetting(tx, 'auto_apply'))) return null;
  return queue.enqueue(tx, {
    type: 'apply',
    input: { revision_id: latest.id, speaker_ids: null },
    resource: { type: 'revision', id: latest.id },
    requestedBy: actor,
    parentId: null,
  });
}
