import type { ApplyRequest, SpeakerApplyRequest } from '../../api/revisions/apply.ts';
import type { Job } from '../../api/activity/jobs.ts';
import { Problem, fieldProblem, notFound } from '../../api/problems/problem.ts';
import type { RevisionName } from '../../api/revisions/revisions.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { acceptSnapshots, endReleases, heldTogether } from '../../store/revisions/held-modules.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { letRevisionThrough } from '../../store/revisions/revisions.ts';
import {
  findLatestReadyRevision,
  findNewerHeld,
  type StoredRevision,
} from '../../store/revisions/stored-revisions.ts';
import { findSpeaker } from '../../store/speakers/speakers.ts';
import { auditOverride } from '../audit/audit.ts';
import type { Override } from '../override.ts';
import type { ControlContext } from '../context.ts';
import { checkOverride, currentFindings, refuseFindings, refuseFrozen } from '../revisions/guard-apply.ts';
import { revisionOfBody } from '../revisions/named-revision.ts';
import { readGuardrails } from '../guards/guardrails.ts';
import { findRemainder } from './retry-apply.ts';
import { findTakenBack, takeBack } from './take-back.ts';
import { enqueueApply } from '../revisions/apply-input.ts';

/** Who asks for an apply. */
export type Requester = Pick<ControlContext, 'queue' | 'actor' | 'role'>;

/**
 * Queues the apply of a revision (default: the latest ready one) to speakers (default: all that are enabled).
 * @throws {Problem} with the code of a guardrail that the revision breaks and the request does not override; `deploy_frozen`
 */
export async function requestApply(tx: TenantTx, requester: Requester, request: ApplyRequest): Promise<Job> {
  if (request.retry_of !== undefined) return requestRetry(tx, requester, request.retry_of, request);
  const revision = await applicableRevision(tx, request.revision_id);
  const speakerIds: string[] = [];
  for (const [index, id] of (request.speaker_ids ?? []).entries()) {
    const speaker = await findSpeaker(tx, id);
    if (speaker === null)
      throw fieldProblem(`/speaker_ids/${index}`, `No speaker has the id ${id}. List /v1/speakers.`);
    if (!speaker.enabled) throw fieldProblem(`/speaker_ids/${index}`, disabled(speaker));
    speakerIds.push(speaker.id);
  }
  const chosen = request.speaker_ids === undefined ? null : speakerIds;
  await guard(tx, requester, revision, request, chosen === null);
  return enqueueApply(tx, requester, {
    ...{ revision_id: revision.id, speaker_ids: chosen, override: request.override ?? [] },
    asked: true,
  });
}

/** Queues what is left of an apply; it must pass the guardrails again, and the former override does not count. */
async function requestRetry(
  tx: TenantTx,
  requester: Requester,
  jobId: string,
  request: ApplyRequest,
): Promise<Job> {
  const { revisionId, speakerIds } = await findRemainder(tx, jobId, request);
  const revision = await applicableRevision(tx, revisionId);
  await guard(tx, requester, revision, request);
  return enqueueApply(tx, requester, {
    ...{ revision_id: revision.id, speaker_ids: speakerIds, override: request.override ?? [] },
    retries: true,
  });
}

/** {@link requestApply} for the one speaker of the path. */
export async function requestSpeakerApply(
  tx: TenantTx,
  requester: Requester,
  speakerId: string,
  request: SpeakerApplyRequest,
): Promise<Job> {
  const speaker = await findSpeaker(tx, speakerId);
  if (speaker === null) throw notFound('speaker', speakerId);
  if (!speaker.enabled) throw new Problem('conflict', disabled(speaker));
  const revision = await applicableRevision(tx, request.revision_id);
  await guard(tx, requester, revision, request);
  return enqueueApply(tx, requester, {
    ...{ revision_id: revision.id, speaker_ids: [speaker.id], override: request.override ?? [] },
    asked: true,
  });
}

/** An override goes with this one job; a held revision that it takes to all speakers is ready from then on. */
async function guard(
  tx: TenantTx,
  { role, actor }: Requester,
  revision: StoredRevision,
  override: Override & Pick<ApplyRequest, 'revision_id'>,
  isForAll = false,
): Promise<void> {
  await refuseFrozen(tx);
  const findings = await currentFindings(tx, revision);
  checkOverride(override, findings, role, await titleOf(tx, revision, override));
  refuseFindings(revision, findings, override.override ?? []);
  if (override.override !== undefined) await auditOverride(tx, actor, revision, { ...override, findings });
  // Also where it breaks nothing any more, since a guardrail was loosened or another revision applied.
  if (revision.state === 'held' && isForAll) await letThrough(tx, revision);
  else if (revision.state === 'held') await acceptRevision(tx, revision);
}

/**
 * It is ready from now on. A rollback does now what it could not do while it was held: what it takes back stays back.
 * @throws {Problem} `conflict` when a rollback is not the latest any more: what it took back would be in the latest
 */
async function letThrough(tx: TenantTx, revision: StoredRevision): Promise<void> {
  if (revision.trigger.kind !== 'rollback') {
    await acceptRevision(tx, revision);
    return letRevisionThrough(tx, revision);
  }
  const inputs = await listRevisionInputs(tx, revision.id);
  const left = await findLatestReadyRevision(tx);
  if (left !== null && left.number > revision.number) {
    const again =
      revision.rollback_of === null
        ? 'The revision that it goes back to was pruned: roll back to another one'
        : `Roll back again (POST /v1/revisions/${revision.rollback_of}/rollback)`;
    throw new Problem(
      'conflict',
      `Revision ${revision.number} is a rollback that is held, and revision ${left.number} has become ready since: the rollback would not be the latest, and the next edit would undo it. ${again}, and apply the revision that this makes with the same override.`,
    );
  }
  const takenBack = await findTakenBack(tx, left, inputs, await readGuardrails(tx));
  await takeBack(tx, revision, inputs, takenBack);
  await letRevisionThrough(tx, revision, heldTogether(takenBack.held, takenBack.kept));
}

/** Who overrides may mean a held revision, and name the latest ready one. */
async function titleOf(
  tx: TenantTx,
  { id, number }: StoredRevision,
  { override = [], revision_id: name = 'latest' }: Override & Pick<ApplyRequest, 'revision_id'>,
): Promise<string> {
  if (override.length === 0 || name !== 'latest') return `Revision ${number}`;
  const held = await findNewerHeld(tx, id);
  const latest = `Revision ${number}, the latest that is ready,`;
  return held === null
    ? latest
    : `Revision ${held} is the one that is held: apply it with {"revision_id": ${held}}. ${latest}`;
}

/** What somebody lets through is what later changes are measured from; modules that were held when it was built stay as they are. */
async function acceptRevision(tx: TenantTx, { id, quarantined }: StoredRevision): Promise<void> {
  const held = new Set(quarantined.map(({ module_id }) => module_id));
  const inputs = await listRevisionInputs(tx, id);
  const accepted = inputs.filter(({ module_id }) => !held.has(module_id));
  await acceptSnapshots(tx, accepted);
  await endReleases(tx, accepted);
}

function disabled({ name }: Speaker): string {
  return `The speaker ${name} is disabled. Enable it (PATCH {"enabled": true}), or leave it out.`;
}

async function applicableRevision(tx: TenantTx, name: RevisionName | undefined): Promise<StoredRevision> {
  // A revision that is being built now queues its own apply: ours must not come behind it with an older one. And a prune that is at
  // work does not see that ours is needed.
  await lockTenant(tx, 'revision');
  if (name === undefined) {
    const latest = await findLatestReadyRevision(tx);
    if (latest === null)
      throw new Problem(
        'revision_not_ready',
        'There is no ready revision yet. Refresh a module to build one.',
      );
    return latest;
  }
  const revision = await revisionOfBody(tx, name);
  if (revision.state !== 'ready' && revision.state !== 'held') {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state}; only a ready one, or a held one with override, can be applied.`,
    );
  }
  return revision;
}
