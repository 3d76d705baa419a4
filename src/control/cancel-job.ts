import type { Job } from '../api/activity/jobs.ts';
import { Problem } from '../api/problems/problem.ts';
import type { TenantTx, Versioned } from '../store/database/database.ts';
import { getJob, requestJobCancel } from '../store/jobs/jobs.ts';
import { supersedeCancelled } from '../store/rollout/rollouts.ts';

/** Cancels a queued job at once; a running one is told to stop and is `cancelled` when it has. */
export async function cancelJob(tx: TenantTx, id: string): Promise<Versioned<Job>> {
  const { resource } = await getJob(tx, id);
  if (resource.finished_at !== null) {
    throw new Problem(
      'job_finished',
      `The job ${resource.state} at ${resource.finished_at}; there is nothing left to cancel.`,
    );
  }
  const cancelled = await requestJobCancel(tx, id);
  // At once: a job that pauses learns of it a moment later, and no speaker may begin meanwhile.
  await supersedeCancelled(tx, id);
  return cancelled;
}
