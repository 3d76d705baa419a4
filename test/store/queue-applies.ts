import { planApplies } from '../../src/store/rollout/applies.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { startWave } from '../../src/store/rollout/rollouts.ts';

/** Queues an apply for each target at once, as a job without phases does. */
export async function queueApplies(
  tx: TenantTx,
  jobId: string,
  targets: readonly { readonly speakerId: string; readonly revisionId: string | null }[],
): Promise<void> {
  await planApplies(
    tx,
    jobId,
    targets.map((target) => ({ ...target, wave: 1 })),
  );
  await startWave(tx, jobId, 1);
}
