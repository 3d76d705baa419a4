import { setTimeout as sleep } from 'node:timers/promises';
import type { ApplyResult, CanaryLeftOut } from '../../api/activity/job-results.ts';
import { MOST_WAITED_FOR } from '../../api/activity/jobs.ts';
import { Problem } from '../../api/problems/problem.ts';
import { Wakeup } from '../../concurrency/wakeup.ts';
import { listAppliesOf, type SpeakerApply } from '../../store/rollout/applies.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { EVENTS_CHANNEL } from '../../store/events.ts';
import { isCancelled } from '../../store/jobs/jobs.ts';
import {
  endPlanned,
  failDisabled,
  secondsOpen,
  startWave,
  supersedeCancelled,
  undoCanaries,
} from '../../store/rollout/rollouts.ts';
import { listLockedOut } from '../../store/keys/locked-out.ts';
import { listSilentNodes } from '../../store/rollout/silent-nodes.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { listAllSpeakers, SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';
import { adoptedInput } from './adopt-revision.ts';
import { awaitNewer, beginRollout } from './begin-rollout.ts';
import type { ApplyInput } from '../revisions/apply-input.ts';
import { refuseFreeze } from '../revisions/guard-apply.ts';
import { Interruption, JobCancelled, JobFailure, JobPause, type JobCommit, type JobContext } from '../job.ts';
import { failedPeers, faultAlone } from '../../speakers/verification/peer-results.ts';
import { presentApplies } from './rollout-result.ts';
import { soakCanaries } from './soak-canaries.ts';
import { toBegin } from './to-begin.ts';

/** Longest wait for the process that holds a speaker, beside the time to confirm; the apply itself goes on all the same. */
const WAIT_SECONDS = 120;
/** Most ends come sooner than this. */
const TIMEOUT_MILLISECONDS = 3_000;
/** At speakers that had begun when the apply was cancelled: ten seconds, and longer where this process itself comes late. */
const LOOKS_AT_BEGUN = 100;
const LOOK_MILLISECONDS = 100;
/** Milliseconds between looks at a wave of which no event has come. */
const UNHINTED_MILLISECONDS = 1_000;
const PAUSE_SECONDS = 1;

/**
 * The job `apply`: canaries first, which are watched for a while, then the others in waves. For each speaker it writes down what that
 * is to run, and waits until the process that holds the speaker has done it. Speakers fail apart from each other; the job fails when one
 * of them does, and its result says which. A node that was away before is not waited for: it takes the revision when it is back. Everything
 * that the job goes by is in the database, so that it goes on after any interruption.
 */
export async function runRollout(context: JobContext): Promise<JobCommit<ApplyResult>> {
  const { db, tenantId, job, signal } = context;
  const input = await db.inTenant(tenantId, (tx) =>
    adoptedInput(tx, job.id, context.input as unknown as ApplyInput),
  );
  if (input === null)
    return () => Promise.resolve({ revision_id: null, speakers: [], canaries_left_out: [] });
  let leftOut: readonly CanaryLeftOut[] = [];
  const away = new Set<string>();
  const resultIn = async (tx: TenantTx): Promise<ApplyResult> => ({
    revision_id: input.revision_id,
    speakers: presentApplies(
      await listAppliesOf(tx, job.id),
      await listAllSpeakers(tx),
      away,
      await listLockedOut(tx, [...away]),
    ),
    canaries_left_out: [...leftOut],
  });
  const result = (): Promise<ApplyResult> => db.inTenant(tenantId, resultIn);
  try {
    leftOut = await db.inTenant(tenantId, (tx) => beginRollout(tx, job.id, input));
    await db.inTenant(tenantId, (tx) => awaitNewer(tx, job.id));
    await runWaves(context, input.revision_id, away);
  } catch (error) {
    if (signal.aborted) await db.inTenant(tenantId, (tx) => supersedeCancelled(tx, job.id));
    const isCancelledNow = (): Promise<boolean> => db.inTenant(tenantId, (tx) => isCancelled(tx, job.id));
    // A run that pauses in the moment of the cancellation has to say what became of its speakers, too.
    const isOver = error instanceof JobPause && !signal.aborted && (await isCancelledNow());
    if (isOver || isCancellation(signal.aborted ? signal.reason : error)) {
      await waitForBegun(context);
      throw new JobCancelled(await result());
    }
    const isEnd = error instanceof Problem && error.code !== 'database_unavailable';
    if (!isEnd || signal.aborted) throw error;
    if (error.code === 'deploy_frozen') return (tx) => endFrozen(tx, job.id, error, resultIn);
    await db.inTenant(tenantId, (tx) => endPlanned(tx, job.id, 'skipped', error.message));
    throw new JobFailure(error.code, error.message, await result());
  }
  return async (tx) => {
    const whole = await resultIn(tx);
    // Who cancels now has stopped nothing that the result does not name.
    if (await isCancelled(tx, job.id)) throw new JobCancelled(whole);
    return whole;
  };
}

function isCancellation(reason: unknown): boolean {
  return reason instanceof Interruption && reason.kind === 'cancelled';
}

/**
 * Ends the apply that the freeze stopped, unless that is over by now: whoever ends a freeze looks under the same lock which applies it has
 * stopped, and would not see this one.
 * @throws {JobPause} when the apply is to go on
 */
async function endFrozen(
  tx: TenantTx,
  jobId: string,
  { message }: Problem,
  resultIn: (tx: TenantTx) => Promise<ApplyResult>,
): Promise<JobFailure> {
  await lockTenant(tx, 'settings');
  if (!(await getSetting(tx, 'deploy_freeze')))
    throw new JobPause(PAUSE_SECONDS, { phase: 'going on after the freeze', done: 0, total: null });
  await endPlanned(tx, jobId, 'skipped', message);
  return new JobFailure('deploy_frozen', message, await resultIn(tx));
}

/** @param away gets the speakers whose node is not waited for */
async function runWaves(context: JobContext, revisionId: string | null, away: Set<string>): Promise<void> {
  const planned = await list(context);
  const waves = [...new Set(planned.map(({ wave }) => wave))].sort((a, b) => a - b);
  const last = waves.at(-1) ?? 0;
  let failed: readonly SpeakerApply[] = [];
  for (const wave of waves) {
    await begin(context, wave);
    const phase = wave === 0 ? 'canary' : last === 1 ? 'apply' : `wave ${wave} of ${last}`;
    const { ended, silent } = await waitForEnds(context, phase, wave);
    for (const id of silent) away.add(id);
    if (wave === 0) await passCanaries(context, ended, revisionId!);
    else failed = [...failed, ...ended.filter((apply) => !isGood(apply) && !silent.has(apply.speaker_id))];
    if (wave > 0 && wave < last) await refuseTooMany(context, failed);
  }
  if (failed.length === 0) return refuseNobody(context, planned, away);
  throw new Problem(
    'apply_failed',
    `${failed.length} of ${planned.length} speakers did not take the revision. ${words(failed, await namesOf(context))}`,
  );
}

/**
 * An apply that has reached nobody has not come about, although it will.
 * @throws {Problem} `apply_failed`
 */
async function refuseNobody(
  context: JobContext,
  planned: readonly SpeakerApply[],
  away: ReadonlySet<string>,
): Promise<void> {
  const targets = planned.filter(({ state }) => state !== 'skipped');
  if (targets.length === 0 || targets.some(({ speaker_id: id }) => !away.has(id))) return;
  const names = await namesOf(context);
  const ids = targets.map(({ speaker_id: id }) => id);
  const lockedOut = await context.db.inTenant(context.tenantId, (tx) => listLockedOut(tx, ids));
  const titlesOf = (some: readonly string[]): string => some.map((id) => titleOf(id, names)).join('; ');
  const without = ids.filter((id) => lockedOut.has(id));
  const others = ids.filter((id) => !lockedOut.has(id));
  const reasons = [
    ...(others.length === 0
      ? []
      : [`their nodes are out of reach, and take it when they are back. ${titlesOf(others)}`]),
    ...(without.length === 0
      ? []
      : [
          `no key of these nodes works, so they take nothing until they are enrolled again. ${titlesOf(without)}`,
        ]),
  ];
  throw new Problem('apply_failed', `No speaker has taken the revision: ${reasons.join('. ')}`);
}

/** @throws {Problem} `deploy_frozen`: a freeze stops between phases too */
async function begin({ db, tenantId, job }: JobContext, wave: number): Promise<void> {
  await db.inTenant(tenantId, async (tx) => {
    const applies = await listAppliesOf(tx, job.id);
    if (!applies.some((apply) => apply.wave === wave && apply.state === 'planned')) return;
    await refuseFreeze(tx);
    await startWave(tx, job.id, wave);
    await notify(tx, SPEAKERS_CHANNEL, tenantId);
  });
}

/** @throws {Problem} `canary_failed`, after the canaries have gone back to what they ran before */
async function passCanaries(
  context: JobContext,
  canaries: readonly SpeakerApply[],
  revisionId: string,
): Promise<void> {
  const { db, tenantId, job } = context;
  const others = (await list(context)).filter(({ wave }) => wave > 0);
  const havePassed = others.some(({ state }) => state !== 'planned' && state !== 'skipped');
  if (havePassed) return; // before an interruption
  const fault = faultOf(canaries, await namesOf(context)) ?? (await soakCanaries(context, revisionId));
  if (fault === null) return;
  await db.inTenant(tenantId, async (tx) => {
    // A canary that had not begun then has failed in no other way; those that have the revision keep it.
    if (await isCancelled(tx, job.id)) throw new Interruption('cancelled');
    await undoCanaries(tx, job.id, fault);
    await notify(tx, SPEAKERS_CHANNEL, tenantId);
  });
  await waitForEnds(context, 'canary undo', 0);
  throw new Problem('canary_failed', fault);
}

/** Why the canaries have failed already, or null. */
function faultOf(canaries: readonly SpeakerApply[], names: Names): string | null {
  // Decided before an interruption.
  const decided = canaries.find(({ code }) => code === 'canary_failed');
  if (decided !== undefined) return decided.error;
  const failed = canaries.filter(({ state }) => state !== 'succeeded');
  if (failed.length > 0) return `Not every canary took the revision. ${words(failed, names)}`;
  // A peer that was well and does not bear the routes is what canaries are for.
  const lost = canaries.flatMap(({ speaker_id: id, peers }) =>
    failedPeers(peers ?? []).map(
      ({ name, error }) => `${titleOf(id, names)}: ${name}: ${faultAlone(error ?? '')}`,
    ),
  );
  return lost.length === 0 ? null : `Not every peer of the canaries took the revision. ${lost.join('; ')}`;
}

/** @throws {Problem} `apply_failed` */
async function refuseTooMany(context: JobContext, failed: readonly SpeakerApply[]): Promise<void> {
  const { db, tenantId } = context;
  const limit = await db.inTenant(tenantId, (tx) => getSetting(tx, 'deploy_wave_max_failures'));
  if (failed.length <= limit) return;
  throw new Problem(
    'apply_failed',
    `Speakers that did not take the revision: ${failed.length}. deploy_wave_max_failures is ${limit}, so the waves after that were skipped. ${words(failed, await namesOf(context))}`,
  );
}

/** One that was skipped before its wave began has no node yet, which is nobody's failure. */
function isGood({ state }: SpeakerApply): boolean {
  return state === 'succeeded' || state === 'superseded' || state === 'skipped';
}

/** Of speakers, by id. */
type Names = ReadonlyMap<string, string>;

async function namesOf({ db, tenantId }: JobContext): Promise<Names> {
  const speakers = await db.inTenant(tenantId, listAllSpeakers);
  return new Map(speakers.map(({ id, name }) => [id, name]));
}

/** One that was deleted meanwhile has no name. Programs find ids in `result.speakers`. */
function titleOf(id: string, names: Names): string {
  return names.get(id) ?? id;
}

function words(applies: readonly SpeakerApply[], names: Names): string {
  return applies
    .map(
      ({ speaker_id: id, error }) => `${titleOf(id, names)}: ${error ?? 'it has not come to an end in time'}`,
    )
    .join('; ');
}

function list({ db, tenantId, job }: JobContext): Promise<SpeakerApply[]> {
  return db.inTenant(tenantId, (tx) => listAppliesOf(tx, job.id));
}

interface Ends {
  /** The applies of the wave, ended but for those that took too long. */
  readonly ended: readonly SpeakerApply[];
  /** Speakers of the wave whose node is away, and nothing else was left to wait for. Canaries are always waited for. */
  readonly silent: ReadonlySet<string>;
}

/** @throws {JobPause} when it lasts: a speaker that nobody holds is to keep no other apply waiting */
async function waitForEnds(context: JobContext, phase: string, wave: number): Promise<Ends> {
  const { db, tenantId, job, progress, signal } = context;
  const deadline = performance.now() + TIMEOUT_MILLISECONDS;
  // What becomes of an apply is an event.
  const events = new Wakeup();
  const hints = db.listen(EVENTS_CHANNEL, (tenant) => {
    if (tenant === null || tenant === tenantId) events.hint();
  });
  let noted = -1;
  try {
    for (;;) {
      events.forget();
      const all = await list(context);
      const applies = all.filter((apply) => apply.wave === wave);
      const open = applies.filter(({ state }) => OPEN.has(state));
      const done = applies.length - open.length;
      const waitingFor = open.slice(0, MOST_WAITED_FOR).map(({ speaker_id: id }) => id);
      const more = { ...(waitingFor.length > 0 ? { waiting_for: waitingFor } : {}), ...toBegin(all) };
      // Progress is an event too: what is known already is not noted again.
      if (noted !== done) progress(phase, done, applies.length, more);
      noted = done;
      const silent = await silentOf(context, open, wave);
      if (open.every(({ speaker_id: id }) => silent.has(id))) return { ended: applies, silent };
      if (performance.now() > deadline) {
        const { waited, confirm } = await db.inTenant(tenantId, async (tx) => {
          await failDisabled(tx, job.id);
          return {
            waited: await secondsOpen(tx, job.id, wave),
            confirm: await getSetting(tx, 'deploy_confirm_timeout_seconds'),
          };
        });
        if (waited > WAIT_SECONDS + confirm) return { ended: applies, silent };
        throw new JobPause(PAUSE_SECONDS, { phase, done, total: applies.length, ...more });
      }
      const most = Math.min(UNHINTED_MILLISECONDS, deadline - performance.now());
      await events.pause(Math.max(LOOK_MILLISECONDS, most), { least: LOOK_MILLISECONDS, signal });
      signal.throwIfAborted();
    }
  } finally {
    hints.close();
  }
}

async function silentOf(
  { db, tenantId, job }: JobContext,
  open: readonly SpeakerApply[],
  wave: number,
): Promise<ReadonlySet<string>> {
  // Nothing can go before its canaries, which have to be proven.
  if (wave === 0 || open.length === 0) return NOBODY;
  return new Set(await db.inTenant(tenantId, (tx) => listSilentNodes(tx, job.id, wave)));
}

const NOBODY: ReadonlySet<string> = new Set();

/** Of a cancelled apply: speakers that had begun are not stopped, and the result is to say what became of them. */
async function waitForBegun(context: JobContext): Promise<void> {
  for (let looks = 0; looks < LOOKS_AT_BEGUN; looks += 1) {
    if ((await list(context)).every(({ state }) => !OPEN.has(state))) return;
    await sleep(LOOK_MILLISECONDS);
  }
}

const OPEN: ReadonlySet<SpeakerApply['state']> = new Set(['planned', 'queued', 'running', 'undoing']);
