import type { Speaker } from '../../api/speakers.ts';
import { listAppliesOf } from '../../store/applies.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findAppliedRevision } from '../../store/revisions.ts';
import { findOlderApply } from '../../store/rollouts.ts';
import { JobPause } from '../job.ts';
import { enqueueApply, type Requester } from './apply-revision.ts';
import type { ApplyInput } from './begin-rollout.ts';

const PAUSE_SECONDS = 1;

/**
 * Queues the apply by which a speaker that has come to the tenant gets what was applied last: one that is new or enabled again, or whose
 * node has enrolled. In the transaction of that change, so that it is queued once whoever else runs. Where nothing was ever applied, or the
 * speaker runs it already, there is nothing to do; and a node that has not enrolled gets it when it does.
 */
export async function adoptAppliedRevision(
  tx: TenantTx,
  requester: Pick<Requester, 'queue' | 'actor'>,
  { id, enabled, mode, agent, applied_revision_id: running }: Speaker,
): Promise<void> {
  if (!enabled || (mode === 'agent' && agent === null)) return;
  const applied = (await findAppliedRevision(tx))?.id ?? (await findOlderApply(tx, null));
  if (applied === null || applied === running) return;
  await enqueueApply(tx, requester, { id: applied }, [id], [], true);
}

/**
 * What such an apply brings: what was applied last when its turn comes, since one that was asked for before it may still be on its way. Once
 * it has begun that stays as it is.
 * @returns null when nothing was applied after all
 * @throws {JobPause} while an older apply is on its way
 */
export async function adoptedInput(
  tx: TenantTx,
  jobId: string,
  input: ApplyInput,
): Promise<ApplyInput | null> {
  if (input.adopts !== true) return input;
  const [begun] = await listAppliesOf(tx, jobId);
  if (begun !== undefined) return { ...input, revision_id: begun.revision_id };
  if ((await findOlderApply(tx, jobId)) !== null)
    throw new JobPause(PAUSE_SECONDS, { phase: 'waiting for an older apply', done: 0, total: null });
  const applied = await findAppliedRevision(tx);
  return applied === null ? null : { ...input, revision_id: applied.id };
}
