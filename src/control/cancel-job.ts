import type { Job } from '../api/jobs.ts';
import { Problem } from '../api/problem.ts';
import type { TenantTx, Versioned } from '../store/database/database.ts';
import { getJob, requestJobCancel } from '../store/jobs.ts';
import { supersedeCancelled } from '../store/rollouts.ts';

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
  // At once: a job that pauses hears of it a moment later, and no speaker shall begin meanwhile.
  await supersedeCancelled(tx, id);
  return cancelled;
}
