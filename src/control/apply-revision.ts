import { setTimeout as sleep } from 'node:timers/promises';
import type { ApplyRequest, SpeakerApplyRequest, SpeakerApplyResult } from '../api/apply.ts';
import type { Job } from '../api/jobs.ts';
import { Problem, fieldProblem, notFound } from '../api/problem.ts';
import type { Revision } from '../api/revisions.ts';
import type { Speaker } from '../api/speakers.ts';
import { listAppliesOf, queueApplies, supersedeCancelled, type SpeakerApply } from '../store/applies.ts';
import { notify, type TenantTx } from '../store/database.ts';
import { lockTenant } from '../store/locks.ts';
import { findLatestReadyRevision, findRevision, getRevision } from '../store/revisions.ts';
import { findSpeaker, listAllSpeakers } from '../store/speakers.ts';
import { auditOverride } from './audit.ts';
import type { ControlContext } from './context.ts';
import {
  type Override,
  checkOverride,
  currentFindings,
  refuseFindings,
  refuseFrozen,
} from './guard-apply.ts';
import { JobFailure, type JobCommit, type JobContext } from './job.ts';

/** Longest wait for the process that holds a speaker; the apply itself goes on all the same. */
const WAIT_MILLISECONDS = 120_000;
const LOOK_MILLISECONDS = 100;

/** Channel that tells holders of speakers to look at once. */
export const SPEAKERS_CHANNEL = 'prefixcast_speakers';

/** Who asks for an apply. */
export type Requester = Pick<ControlContext, 'queue' | 'actor' | 'role'>;

/**
 * Queues the apply of a revision (default: the latest ready one) to speakers (default: all that are enabled).
 * @throws {Problem} with the code of a rail that the revision breaks and the request does not override; `deploy_frozen`
 */
export async function requestApply(tx: TenantTx, requester: Requester, request: ApplyRequest): Promise<Job> {
  const revision = await applicableRevision(tx, request.revision_id);
  const speakerIds: string[] = [];
  for (const [index, id] of (request.speaker_ids ?? []).entries()) {
    const speaker = await findSpeaker(tx, id);
    if (speaker === null)
      throw fieldProblem(`/speaker_ids/${index}`, `No speaker has the id ${id}. List /v1/speakers.`);
    if (!speaker.enabled) throw fieldProblem(`/speaker_ids/${index}`, disabled(speaker));
    speakerIds.push(speaker.id);
  }
  await guard(tx, requester, revision, request);
  const chosen = request.speaker_ids === undefined ? null : speakerIds;
  return enqueueApply(tx, requester, revision, chosen, request.override);
}

/** Queues the apply of this revision, which is checked when the job runs; one that overrides rails was checked before as well. */
export function enqueueApply(
  tx: TenantTx,
  { queue, actor }: Pick<Requester, 'queue' | 'actor'>,
  revision: Pick<Revision, 'id'>,
  speakerIds: readonly string[] | null,
  override: readonly string[] = [],
): Promise<Job> {
  return queue.enqueue(tx, {
    type: 'apply',
    input: { revision_id: revision.id, speaker_ids: speakerIds, override },
    resource: { type: 'revision', id: revision.id },
    requestedBy: actor,
    parentId: null,
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
  return enqueueApply(tx, requester, revision, [speaker.id], request.override);
}

/** An override goes with this one job, so it lets this content through once. */
async function guard(
  tx: TenantTx,
  { role, actor }: Requester,
  revision: Revision,
  override: Override,
): Promise<void> {
  await refuseFrozen(tx);
  const findings = await currentFindings(tx, revision);
  checkOverride(override, findings, role);
  refuseFindings(revision, findings, override.override ?? []);
  if (override.override !== undefined) await auditOverride(tx, actor, revision, { ...override, findings });
}

function disabled({ name }: Speaker): string {
  return `The speaker ${name} is disabled. Enable it (PATCH {"enabled": true}), or leave it out.`;
}

async function applicableRevision(tx: TenantTx, id: string | undefined): Promise<Revision> {
  if (id === undefined) {
    // A revision that is being built now queues its own apply: ours must not come behind it with an older one.
    await lockTenant(tx, 'revision');
    const latest = await findLatestReadyRevision(tx);
    if (latest === null)
      throw new Problem(
        'revision_not_ready',
        'There is no ready revision yet. Refresh a module to build one.',
      );
    return latest;
  }
  const revision = await findRevision(tx, id);
  if (revision === null)
    throw fieldProblem('/revision_id', `No revision has the id ${id}. List /v1/revisions.`);
  if (revision.state !== 'ready' && revision.state !== 'held') {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state}; only a ready one, or a held one with override, can be applied.`,
    );
  }
  return revision;
}

/** Input of the job `apply`. A revision of null keeps every speaker at the one that it runs. */
interface ApplyInput {
  readonly revision_id: string | null;
  readonly speaker_ids: readonly string[] | null;
  /** Codes of rails that let the revision through. */
  readonly override?: readonly string[];
}

/**
 * The job `apply`: writes down for each speaker what it shall run, and waits until the processes that hold the speakers have
 * done it. Speakers fail apart from each other; the job fails when one of them does, and its result tells which.
 */
export async function applyRevision(context: JobContext): Promise<JobCommit> {
  const { db, tenantId, job, signal } = context;
  const input = context.input as unknown as ApplyInput;
  const { revision_id: revisionId, speaker_ids: wanted } = input;
  const targets = await db.inTenant(tenantId, async (tx) => {
    await refuseFrozen(tx);
    if (revisionId !== null) {
      // Again, since rails may have been tightened, or another revision applied, while the job waited.
      const { resource: revision } = await getRevision(tx, revisionId);
      refuseFindings(revision, await currentFindings(tx, revision), input.override ?? []);
    }
    const chosen = (await listAllSpeakers(tx)).flatMap((speaker) => {
      const isWanted = speaker.enabled && (wanted === null || wanted.includes(speaker.id));
      const runsAny = revisionId !== null || speaker.applied_revision_id !== null;
      return isWanted && runsAny ? [{ speakerId: speaker.id, revisionId }] : [];
    });
    await queueApplies(tx, job.id, chosen);
    await notify(tx, SPEAKERS_CHANNEL, tenantId);
    return chosen;
  });
  const applies = await waitForEnds(context, targets.length).catch(async (error: unknown) => {
    if (signal.aborted) await db.inTenant(tenantId, (tx) => supersedeCancelled(tx, job.id));
    throw error;
  });
  const speakers = applies.map(resultOf);
  const result = { revision_id: revisionId, speakers };
  const failed = speakers.filter((speaker) => speaker.status === 'failed');
  if (failed.length === 0) return () => Promise.resolve(result);
  const told = failed.map((speaker) => `${speaker.speaker_id}: ${speaker.error}`).join('; ');
  throw new JobFailure(
    'apply_failed',
    `${failed.length} of ${speakers.length} speakers did not take the revision. ${told}`,
    result,
  );
}

async function waitForEnds(
  { db, tenantId, job, progress, signal }: JobContext,
  total: number,
): Promise<SpeakerApply[]> {
  const deadline = performance.now() + WAIT_MILLISECONDS;
  for (;;) {
    const applies = await db.inTenant(tenantId, (tx) => listAppliesOf(tx, job.id));
    const ended = applies.filter(
      (apply) => apply.state === 'succeeded' || apply.state === 'failed' || apply.state === 'superseded',
    );
    progress('apply', ended.length, total);
    if (ended.length === applies.length || performance.now() > deadline) return applies;
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  }
}

function resultOf(apply: SpeakerApply): SpeakerApplyResult {
  const { speaker_id, announced, withdrawn, changed } = apply;
  const base = { speaker_id, announced: announced ?? 0, withdrawn: withdrawn ?? 0, changed: changed ?? 0 };
  switch (apply.state) {
    case 'succeeded': {
      const touched = base.announced + base.withdrawn + base.changed;
      return { ...base, status: touched === 0 ? 'unchanged' : 'applied', error: null };
    }
    case 'superseded':
      return { ...base, status: 'unchanged', error: apply.error };
    case 'failed':
      return { ...base, status: 'failed', error: apply.error };
    case 'queued':
      return {
        ...base,
        status: 'failed',
        error:
          'No process that holds this speaker answered in time. See that one runs as app-all or app-speaker; it applies the revision when it starts.',
      };
    case 'running':
      return {
        ...base,
        status: 'failed',
        error:
          'The process that holds this speaker began and has not come to an end in time. It goes on; see the live status of the speaker.',
      };
  }
}
