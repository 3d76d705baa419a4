import type { Job } from '../../api/activity/jobs.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { getJob, noteJobResult, requestJobCancel } from '../../store/jobs/jobs.ts';
import { listAppliesOf } from '../../store/rollout/applies.ts';
import { supersedeCancelled } from '../../store/rollout/rollouts.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import { presentApplies } from './rollout-result.ts';

/**
 * Cancels a queued job at once; a running one is asked to stop and is `cancelled` when it has. An apply stops where speakers have not
 * begun: those that have go on.
 * @throws {Problem} `job_finished`; `conflict` where every speaker of an apply has begun, so that nothing is left to stop
 */
export async function cancelJob(tx: TenantTx, id: string): Promise<Versioned<Job>> {
  const { resource } = await getJob(tx, id);
  if (resource.finished_at !== null) {
    throw new Problem(
      'job_finished',
      `The job ${resource.state} at ${resource.finished_at}; there is nothing left to cancel.`,
    );
  }
  const cancelled = await requestJobCancel(tx, id);
  if (resource.type !== 'apply') return cancelled;
  // At once: a job that pauses learns of it a moment later, and no speaker may begin meanwhile.
  await supersedeCancelled(tx, id);
  const applies = await listAppliesOf(tx, id);
  if (applies.length > 0 && !applies.some(({ state }) => state === 'superseded'))
    throw new Problem(
      'conflict',
      `Every speaker of the apply ${id} has begun, or has taken the revision already, so there is nothing left to cancel. To go back, roll back to the revision before.`,
    );
  if (applies.length === 0) return cancelled;
  await noteJobResult(tx, id, {
    revision_id: resource.resource?.id ?? null,
    speakers: presentApplies(applies, await listAllSpeakers(tx)),
    canaries_left_out: [],
  });
  return getJob(tx, id);
}
