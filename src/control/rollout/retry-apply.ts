import type { ApplyRequest, SpeakerApplyResult } from '../../api/revisions/apply.ts';
import type { Job } from '../../api/activity/jobs.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findJob } from '../../store/jobs/jobs.ts';
import { listSpeakersWithReverted } from '../../store/rollout/reverted-peers.ts';
import { listSpeakersMovedSince } from '../../store/rollout/rollouts.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import { refuseFaults } from '../body-faults.ts';
import { revisionOfBody } from '../revisions/named-revision.ts';

/** What is left to do of an apply. */
export interface Remainder {
  /** That of the job: a retry is of the same revision. */
  readonly revisionId: string;
  readonly speakerIds: readonly string[];
}

const LEFT: ReadonlySet<SpeakerApplyResult['status']> = new Set([
  ...(['failed', 'unfinished', 'unreachable', 'partial', 'undone', 'skipped'] as const),
]);

/**
 * The speakers that the job did not bring to its revision, or not with every peer, but for those that a later apply went to: a retry takes nobody back.
 * @throws {Problem} `conflict` when there is nothing to retry
 */
export async function findRemainder(tx: TenantTx, jobId: string, request: ApplyRequest): Promise<Remainder> {
  const job = await findJob(tx, jobId);
  if (job === null) throw fieldProblem('/retry_of', `No job has the id ${jobId}. List /v1/jobs?type=apply.`);
  if (job.type !== 'apply')
    throw fieldProblem(
      '/retry_of',
      `The job ${jobId} is of the type ${job.type}. Name one of the type apply.`,
    );
  if (job.finished_at === null)
    throw new Problem('conflict', `The job ${jobId} is ${job.state}. Wait for its end, or cancel it.`);
  const { revision_id: revisionId, speakers } = resultOf(job);
  if (revisionId === null)
    throw new Problem(
      'conflict',
      `There is nothing to retry: the job ${jobId} was to bring no revision to any speaker, and kept them at theirs.`,
    );
  const named = request.revision_id === undefined ? null : await revisionOfBody(tx, request.revision_id);
  refuseOthers(request, revisionId, named !== null && named.id !== revisionId);
  // A peer may have refused after the apply had ended, which says that it was well.
  const sick = await listSpeakersWithReverted(tx);
  const left = speakers
    .filter(({ status, speaker_id: id }) => LEFT.has(status) || sick.has(id))
    .map(({ speaker_id: id }) => id);
  if (left.length === 0)
    throw new Problem('conflict', `No speaker failed in the job ${jobId}, so there is nothing to retry.`);
  const moved = await listSpeakersMovedSince(tx, jobId);
  const enabled = new Set((await listAllSpeakers(tx)).flatMap((one) => (one.enabled ? [one.id] : [])));
  const speakerIds = left.filter((id) => enabled.has(id) && !moved.has(id));
  if (speakerIds.length === 0)
    throw new Problem(
      'conflict',
      `Every speaker that failed in the job ${jobId} had a later apply since, or is deleted or disabled. Apply the revision that they are to run.`,
    );
  return { revisionId, speakerIds };
}

function resultOf({ id, result, error }: Job): {
  revision_id: string | null;
  speakers: SpeakerApplyResult[];
} {
  const reported = result as { revision_id: string | null; speakers: SpeakerApplyResult[] } | null;
  if (reported !== null && (error === null || reported.speakers.length > 0)) return reported;
  throw new Problem(
    'conflict',
    `The job ${id} ended before it went to any speaker. Apply its revision again.`,
  );
}

function refuseOthers(request: ApplyRequest, revisionId: string, isOther: boolean): void {
  refuseFaults([
    ...(isOther
      ? [
          {
            pointer: '/revision_id',
            detail: `is another than that of the job, ${revisionId}. Leave it out, or apply it without retry_of.`,
          },
        ]
      : []),
    ...(request.speaker_ids === undefined
      ? []
      : [{ pointer: '/speaker_ids', detail: 'are those that failed in the job. Leave it out.' }]),
  ]);
}
