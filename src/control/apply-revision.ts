import { setTimeout as sleep } from 'node:timers/promises';
import type { ApplyRequest, SpeakerApplyResult } from '../api/apply.ts';
import type { Job } from '../api/jobs.ts';
import { Problem, fieldProblem, notFound } from '../api/problem.ts';
import type { Revision } from '../api/revisions.ts';
import type { Speaker } from '../api/speakers.ts';
import { listAppliesOf, queueApplies, supersedeCancelled, type SpeakerApply } from '../store/applies.ts';
import { notify, type TenantTx } from '../store/database.ts';
import { lockTenant } from '../store/locks.ts';
import { findLatestReadyRevision, findRevision } from '../store/revisions.ts';
import { findSpeaker, listAllSpeakers } from '../store/speakers.ts';
import { JobFailure, type JobCommit, type JobContext, type JobQueue } from './job.ts';

/** Longest wait for the process that holds a speaker; the apply itself goes on all the same. */
const WAIT_MILLISECONDS = 120_000;
const LOOK_MILLISECONDS = 100;

/** Channel that tells holders of speakers to look at once. */
export const SPEAKERS_CHANNEL = 'prefixcast_speakers';

/** Queues the apply of a ready revision (default: the latest) to speakers (default: all that are enabled). */
export async function requestApply(
  tx: TenantTx,
  queue: JobQueue,
  request: ApplyRequest,
  actor: string,
): Promise<Job> {
  const revision = await applicableRevision(tx, request.revision_id);
  const speakerIds: string[] = [];
  for (const [index, id] of (request.speaker_ids ?? []).entries()) {
    const speaker = await findSpeaker(tx, id);
    if (speaker === null)
      throw fieldProblem(`/speaker_ids/${index}`, `No speaker has the id ${id}. List /v1/speakers.`);
    if (!speaker.enabled) throw fieldProblem(`/speaker_ids/${index}`, disabled(speaker));
    speakerIds.push(speaker.id);
  }
  return enqueueApply(tx, queue, revision, request.speaker_ids === undefined ? null : speakerIds, actor);
}

function enqueueApply(
  tx: TenantTx,
  queue: JobQueue,
  revision: Revision,
  speakerIds: readonly string[] | null,
  actor: string,
): Promise<Job> {
  return queue.enqueue(tx, {
    type: 'apply',
    input: { revision_id: revision.id, speaker_ids: speakerIds },
    resource: { type: 'revision', id: revision.id },
    requestedBy: actor,
    parentId: null,
  });
}

/** {@link requestApply} for the one speaker of the path. */
export async function requestSpeakerApply(
  tx: TenantTx,
  queue: JobQueue,
  speakerId: string,
  request: { readonly revision_id?: string },
  actor: string,
): Promise<Job> {
  const speaker = await findSpeaker(tx, speakerId);
  if (speaker === null) throw notFound('speaker', speakerId);
  if (!speaker.enabled) throw new Problem('conflict', disabled(speaker));
  return enqueueApply(tx, queue, await applicableRevision(tx, request.revision_id), [speaker.id], actor);
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
  if (revision.state !== 'ready') {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state}; only a ready one can be applied.`,
    );
  }
  return revision;
}

/** Input of the job `apply`. A revision of null keeps every speaker at the one that it runs. */
interface ApplyInput {
  readonly revision_id: string | null;
  readonly speaker_ids: readonly string[] | null;
}

/**
 * The job `apply`: writes down for each speaker what it shall run, and waits until the processes that hold the speakers have
 * done it. Speakers fail apart from each other; the job fails when one of them does, and its result tells which.
 */
export async function applyRevision(context: JobContext): Promise<JobCommit> {
  const { db, tenantId, job, signal } = context;
  const { revision_id: revisionId, speaker_ids: wanted } = context.input as unknown as ApplyInput;
  const targets = await db.inTenant(tenantId, async (tx) => {
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
