import type { Job } from '../../api/activity/jobs.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { claimPending, listTenantsWithPending } from '../../store/modules/pending-changes.ts';
import type { ControlContext } from '../context.ts';
import { SCHEDULER, actorOfEdits } from '../actor.ts';
import type { JobQueue } from '../job.ts';
import { requestBuild } from '../revisions/coalesced-build.ts';
import { refreshIfEnabled } from './refresh-module.ts';
import type { ScheduleTools } from './schedule-refreshes.ts';

/**
 * Queues what has to be done so that a revision holds what operators have edited, each edit once however many processes do this: a
 * transaction takes the edits and queues the jobs. What fails for one tenant keeps no other waiting.
 * @returns whether some edits wait for others that may follow at once
 */
export async function followEdits({ db, queue, onFault }: ScheduleTools): Promise<boolean> {
  const tenants = await db.alone(listTenantsWithPending);
  for (const { tenant_id: tenantId, ripe } of tenants) {
    if (!ripe) continue;
    try {
      await db.inTenant(tenantId, (tx) => queuePending(tx, queue));
    } catch (error) {
      // The next look tries again.
      const isFull = error instanceof Problem && error.code === 'quota_exceeded';
      if (!isFull) onFault(tenantId, error);
    }
  }
  return tenants.some(({ ripe }) => !ripe);
}

async function queuePending(tx: TenantTx, queue: JobQueue): Promise<void> {
  await lockTenant(tx, 'refresh'); // before whatever else two of these may wait for
  const { moduleIds, needsBuild, actors } = await claimPending(tx, 'due');
  const actor = actorOfEdits(actors, SCHEDULER);
  for (const id of moduleIds) await refreshIfEnabled(tx, queue, id, actor, 'edit');
  if (!needsBuild) return;
  const queued = await findOpenJob(tx, { type: 'revision_build', cause: 'edit', isQueued: true });
  if (queued === null) await requestBuild(tx, queue, { cause: 'edit', actor });
}

/** Queues a revision of all that was edited so far: modules with entries that were not collected yet are collected first. */
export async function requestRevision(
  tx: TenantTx,
  { queue, actor }: Pick<ControlContext, 'queue' | 'actor'>,
): Promise<Job> {
  await lockTenant(tx, 'refresh');
  const { moduleIds } = await claimPending(tx, 'all');
  const build = await requestBuild(tx, queue, { cause: 'manual', actor });
  for (const id of moduleIds) await refreshIfEnabled(tx, queue, id, actor, 'manual');
  return build;
}
