import type { Job } from '../../api/activity/jobs.ts';
import type { PruneEstimate } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { estimatePrune, pruneRevisions } from '../../store/revisions/revision-prune.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import type { JobCommit, JobQueue } from '../job.ts';

/** What a prune would remove now, by the tenant's `revision_retention_minutes`. Removes nothing. */
export async function estimateRevisionPrune(tx: TenantTx): Promise<PruneEstimate> {
  const minutes = await getSetting(tx, 'revision_retention_minutes');
  return { retention_minutes: minutes, ...(await estimatePrune(tx, minutes)) };
}

export function requestRevisionPrune(tx: TenantTx, queue: JobQueue, actor: string): Promise<Job> {
  return queue.enqueue(tx, {
    type: 'revision_prune',
    input: {},
    resource: null,
    requestedBy: actor,
    parentId: null,
  });
}

/**
 * The job `revision_prune`. All of it happens in the commit, under the lock that refreshes and rollbacks hold too; its result is what
 * the estimate would have said at that moment.
 */
export function pruneRevisionsJob(): Promise<JobCommit<PruneEstimate>> {
  return Promise.resolve(async (tx: TenantTx) => {
    await lockTenant(tx, 'revision');
    const minutes = await getSetting(tx, 'revision_retention_minutes');
    return { retention_minutes: minutes, ...(await pruneRevisions(tx, minutes)) };
  });
}
