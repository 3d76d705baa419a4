import type { CanaryLeftOut } from '../../api/activity/job-results.ts';
import { Problem } from '../../api/problems/problem.ts';
import { listAppliesOf, planApplies } from '../../store/rollout/applies.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  endPlanned,
  hasOlderRollout,
  listNewerApplies,
  listNextApplies,
  listSpeakersRunning,
  skipPlanned,
  WAITS_FOR_OLDER,
} from '../../store/rollout/rollouts.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import { currentFindings, refuseFindings, refuseFrozen } from '../revisions/guard-apply.ts';
import { JobPause } from '../job.ts';
import { notEnrolled, planRollout, type RolloutPlan } from './rollout-plan.ts';
import { requireRevision } from '../../store/revisions/stored-revisions.ts';
import { listRevisionsOnRouters } from '../../store/rollout/revisions-on-routers.ts';
import type { ApplyInput } from '../revisions/apply-input.ts';

const PAUSE_SECONDS = 1;

/**
 * Checks, and writes down which speakers are applied to in which order. After an interruption that stands already.
 * @returns canaries that the apply does without
 */
export async function beginRollout(
  tx: TenantTx,
  jobId: string,
  input: ApplyInput,
): Promise<readonly CanaryLeftOut[]> {
  const { revision_id: revisionId } = input;
  const plan = await makePlan(tx, input);
  if ((await listAppliesOf(tx, jobId)).length > 0) return plan.leftOut;
  await refuseFrozen(tx);
  if (revisionId !== null) {
    // Again, since guardrails may have been tightened, or another revision applied, while the job waited.
    const revision = await requireRevision(tx, revisionId);
    refuseFindings(revision, await currentFindings(tx, revision), input.override ?? []);
  }
  if (input.speaker_ids === null) refuseNoCanary(plan);
  const steps = [plan.canaries, ...plan.waves];
  const targets = steps.flatMap((ids, wave) => ids.map((speakerId) => ({ speakerId, revisionId, wave })));
  const isInPhases = plan.canaries.length > 0 || plan.waves.length > 1;
  const ids = targets.map(({ speakerId }) => speakerId);
  const isOvertaken =
    revisionId !== null && ids.length > 0 && goesToAll(await listNewerApplies(tx, jobId), ids);
  if (isInPhases && !isOvertaken) await awaitTurn(tx, jobId);
  await planApplies(tx, jobId, targets);
  for (const speaker of plan.skipped) await skipPlanned(tx, jobId, speaker.id, notEnrolled(speaker));
  if (isOvertaken) await endPlanned(tx, jobId, 'superseded', 'A newer apply took its place.');
  return plan.leftOut;
}

async function makePlan(
  tx: TenantTx,
  { revision_id: revisionId, speaker_ids: wanted }: ApplyInput,
): Promise<RolloutPlan> {
  const speakers = await listAllSpeakers(tx);
  // One that is on its way to its first revision has begun with what there was then; one without any, or on its way back to none, has nothing to keep.
  const kept = revisionId === null ? await listRevisionsOnRouters(tx) : null;
  const targets = speakers.filter(
    ({ id, enabled }) =>
      enabled &&
      (wanted === null || wanted.includes(id)) &&
      (kept === null || (kept.get(id) ?? null) !== null),
  );
  const running = revisionId === null ? null : await listSpeakersRunning(tx, revisionId);
  // Where nothing changes there is nothing to watch.
  if (running === null || targets.every(({ id }) => running.has(id)))
    return planRollout({ speakers, targets, canaryIds: [], waveSize: 0 });
  const settings = await getSettings(tx, ['deploy_canary_speaker_ids', 'deploy_wave_size']);
  const { deploy_canary_speaker_ids: canaryIds, deploy_wave_size: waveSize } = settings;
  return planRollout({ speakers, targets, canaryIds, waveSize });
}

/** Of an apply to all speakers the canaries are a part that nobody has asked to leave out. */
function refuseNoCanary({ canaries, leftOut }: RolloutPlan): void {
  if (canaries.length > 0 || leftOut.length === 0) return;
  const why = leftOut.map(({ reason }) => reason).join(' ');
  throw new Problem(
    'canary_failed',
    `No speaker of deploy_canary_speaker_ids can go first, so nothing was applied. ${why} Enable one, choose others, or set it to [] to do without.`,
  );
}

/**
 * Whether one of these applies, which were asked for later and have not ended, goes to all of these speakers: of applies that wait only the
 * last is of interest, and routers are not sent through revisions that nobody wants any more.
 */
function goesToAll(newer: readonly Record<string, unknown>[], speakerIds: readonly string[]): boolean {
  return (newer as unknown as ApplyInput[]).some(
    ({ speaker_ids: ids }) => ids === null || speakerIds.every((id) => ids.includes(id)),
  );
}

/**
 * Whoever waits for an apply that was overtaken before it began waits for what its speakers get instead. In phases that may take hours,
 * so nobody does.
 * @throws {JobPause} while the newer apply is not done
 */
export async function awaitNewer(tx: TenantTx, jobId: string): Promise<void> {
  const applies = await listAppliesOf(tx, jobId);
  const overtaken = applies.filter(({ state }) => state === 'superseded');
  const isInPhases = applies.some(({ wave }) => wave !== 1);
  if (isInPhases || overtaken.length === 0) return;
  const ids = overtaken.map(({ speaker_id: id }) => id);
  if (goesToAll(await listNextApplies(tx, jobId), ids))
    throw new JobPause(PAUSE_SECONDS, { phase: 'waiting for a newer apply', done: 0, total: null });
}

/**
 * Rollouts of several phases go one after the other, or one would disturb what the other watches.
 * @throws {JobPause} while one that was asked for before is not done
 */
async function awaitTurn(tx: TenantTx, jobId: string): Promise<void> {
  if (await hasOlderRollout(tx, jobId))
    throw new JobPause(PAUSE_SECONDS, { phase: WAITS_FOR_OLDER, done: 0, total: null });
}
