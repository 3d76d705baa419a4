import type { Job } from '../../api/activity/jobs.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';
import { listAppliesOf } from '../../store/rollout/applies.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  findAppliedRevision,
  findLatestReadyRevision,
  findNewestAlike,
  type StoredRevision,
} from '../../store/revisions/stored-revisions.ts';
import { findLastApplyToAll, findOlderApply, WAITS_FOR_OLDER } from '../../store/rollout/rollouts.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { JobPause } from '../job.ts';
import { currentFindings } from '../revisions/guard-apply.ts';
import { readSentAttributes } from '../peer-routes/route-attributes.ts';
import type { Requester } from './apply-revision.ts';
import { enqueueApply, type ApplyInput } from '../revisions/apply-input.ts';

const PAUSE_SECONDS = 1;

/**
 * Queues the apply by which a speaker that has come to the tenant gets what was applied last: one that is new or enabled again, or whose
 * node has enrolled. In the transaction of that change, so that it is queued once whoever else runs. Where there is nothing to bring, or the
 * speaker runs it already and was sent it as an apply would now, there is nothing to do; and a node that has not enrolled gets it when it does.
 * @returns null: nothing was queued
 */
export async function adoptAppliedRevision(
  tx: TenantTx,
  requester: Pick<Requester, 'queue' | 'actor'>,
  { id, enabled, mode, agent, applied_revision_id: running }: Speaker,
): Promise<Job | null> {
  if (!enabled || (mode === 'agent' && agent === null)) return null;
  const brought = (await findOlderApply(tx, null)) ?? (await revisionForAll(tx, id, running));
  if (brought === null) return null;
  if (brought === running && !(await readSentAttributes(tx)).has(id)) return null;
  return enqueueApply(tx, requester, { revision_id: brought, speaker_ids: [id], adopts: true });
}

/**
 * What the other speakers run, the one applied last first. Where none runs anything, as before the first node enrolls: the latest, with
 * `auto_apply`; else what all were to get by an apply that found nobody.
 * @param own what the speaker runs itself
 */
async function revisionForAll(
  tx: TenantTx,
  speakerId: string,
  own: string | null = null,
): Promise<string | null> {
  const running = await findAppliedRevision(tx, speakerId);
  if (running !== null) return running.id === own ? own : (await asLetThrough(tx, running)).id;
  if (!(await getSetting(tx, 'auto_apply'))) return findLastApplyToAll(tx);
  return (await findLatestReadyRevision(tx))?.id ?? null;
}

/** Where a guardrail was tightened since, the newest revision of the same content says which lists stay as routers have them although they break it. */
async function asLetThrough(tx: TenantTx, running: StoredRevision): Promise<StoredRevision> {
  return (await currentFindings(tx, running)).length === 0 ? running : findNewestAlike(tx, running);
}

/**
 * What such an apply brings: what was applied last when its turn comes, since one that was asked for before it may still be on its way. Once
 * it has begun that stays as it is.
 * @returns null when there is nothing to bring after all
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
    throw new JobPause(PAUSE_SECONDS, { phase: WAITS_FOR_OLDER, done: 0, total: null });
  const brought = await revisionForAll(tx, input.speaker_ids![0]!);
  return brought === null ? null : { ...input, revision_id: brought };
}
