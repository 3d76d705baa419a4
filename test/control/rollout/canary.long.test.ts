import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { cancelJob } from '../../../src/control/rollout/cancel-job.ts';
import { changeSpeaker } from '../../../src/control/speakers/speakers.ts';
import { listAppliesOf } from '../../../src/store/rollout/applies.ts';
import { noteSessions } from '../../../src/store/rollout/rollouts.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { inPhase, startRollout, speakerResults, type Rollout } from './rollout.ts';

let rollout: Rollout;
let canary: string;
let other: string;

describe.skipIf(requireDaemon('bird') === null)('an apply with a canary', () => {
  beforeAll(async () => {
    rollout = await startRollout(['canary', 'other']);
    [canary, other] = rollout.sites.map(({ speaker }) => speaker.id) as [string, string];
  });
  afterAll(() => rollout?.close());
  beforeEach(async () => {
    const { plane, sites } = rollout;
    await rollout.limit(sites[0]!, null);
    await rollout.set({
      ...{ deploy_freeze: null, deploy_wave_size: null, deploy_canary_soak_seconds: 2 },
      deploy_canary_speaker_ids: [canary],
    });
    await plane.run((tx) => changeSpeaker(tx, canary, { enabled: true }, null));
    await rollout.settled();
  });

  /** An apply of a new revision whose canary is watched for as long as a test takes; with what the speakers ran before. */
  async function soaking(): Promise<{ revision: string; job: Job; before: (string | null)[] }> {
    await rollout.set({ deploy_canary_soak_seconds: 600 });
    const before = await rollout.runs();
    const revision = await rollout.nextRevision();
    const job = await rollout.plane.apply(revision);
    await inPhase(rollout.plane, job, 'soak');
    return { revision, job, before };
  }

  test('goes to it first, watches it, and then goes on', async () => {
    const { plane } = rollout;
    const revision = await rollout.nextRevision();
    const job = await plane.apply(revision);
    await inPhase(plane, job, 'soak');
    expect((await rollout.runs())[0]).toBe(revision);
    expect((await rollout.runs())[1]).not.toBe(revision);
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'succeeded', attempt: 1, result: { canaries_left_out: [] } });
    expect(speakerResults(ended)).toMatchObject([
      { speaker_id: canary, wave: 0, status: 'applied', code: null, error: null },
      { speaker_id: other, wave: 1, status: 'applied', code: null, error: null },
    ]);
    expect(await rollout.runs()).toEqual([revision, revision]);
    // What every speaker runs needs nobody to be watched, and no router receives it.
    const heard = rollout.sites.map(({ peer }) => peer.updates().length);
    const again = await plane.ended(await plane.apply(revision));
    expect(speakerResults(again)).toMatchObject([
      { wave: 1, status: 'unchanged' },
      { wave: 1, status: 'unchanged' },
    ]);
    expect(rollout.sites.map(({ peer }) => peer.updates().length)).toEqual(heard);
  });

  test('takes it back when its session is lost while it is watched', async () => {
    const { plane, sites } = rollout;
    const had = (await sites[0]!.peer.routes()).length;
    const { job, before } = await soaking();
    await rollout.limit(sites[0]!, had);
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(ended.error?.detail).toMatch(/canary: the session with canary went down/);
    expect(speakerResults(ended)).toMatchObject([
      {
        speaker_id: canary,
        status: 'undone',
        announced: 0,
        code: 'canary_failed',
        error: ended.error?.detail,
      },
      { speaker_id: other, status: 'skipped' },
    ]);
    expect(await rollout.runs()).toEqual(before);
    await sites[0]!.peer.waitRoutes(had);
    expect((await plane.speaker(canary)).last_apply).toMatchObject({ status: 'failed', job_id: ended.id });
  });

  test('is not taken for another one by a clock that was corrected since', async () => {
    const { plane } = rollout;
    await rollout.set({ deploy_canary_soak_seconds: 6 });
    const job = await plane.apply(await rollout.nextRevision());
    await inPhase(plane, job, 'soak');
    const [apply] = await plane.run((tx) => listAppliesOf(tx, job.id));
    // Whoever tells of sessions corrects their times once they are five seconds off, see speakers/reference-times.ts.
    const before = apply!.sessions!.map((session) => ({
      ...session,
      since: session.since && new Date(Date.parse(session.since) - 6_000).toISOString(),
    }));
    await plane.run((tx) => noteSessions(tx, apply!.id, before));
    expect(await plane.ended(job)).toMatchObject({ state: 'succeeded', error: null });
  });

  test('stops when applies are frozen while it is watched; it keeps what it has', async () => {
    const { plane } = rollout;
    const { revision, job, before } = await soaking();
    await rollout.set({ deploy_freeze: true });
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'deploy_frozen' } });
    expect(speakerResults(ended)).toMatchObject([{ status: 'applied' }, { status: 'skipped' }]);
    expect(await rollout.runs()).toEqual([revision, before[1]]);
  });

  test('ends where it is when somebody cancels it; it keeps what it has', async () => {
    const { plane } = rollout;
    const { revision, job, before } = await soaking();
    await plane.run((tx) => cancelJob(tx, job.id));
    const states = async () => (await plane.run((tx) => listAppliesOf(tx, job.id))).map(({ state }) => state);
    expect((await states()).sort()).toEqual(['succeeded', 'superseded']);
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'cancelled', error: null });
    expect(speakerResults(ended)).toMatchObject([
      { status: 'applied' },
      { status: 'unchanged', error: 'The job was cancelled before this speaker began.' },
    ]);
    expect((await states()).sort()).toEqual(['succeeded', 'superseded']);
    expect(await rollout.runs()).toEqual([revision, before[1]]);
  });

  test('that is disabled goes to nobody, but to speakers that are named', async () => {
    const { plane } = rollout;
    await plane.run((tx) => changeSpeaker(tx, canary, { enabled: false }, null));
    const before = await rollout.runs();
    const revision = await rollout.nextRevision();
    const all = await plane.ended(await plane.apply(revision));
    expect(all).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(all.error?.detail).toMatch(/The speaker canary is disabled.*set it to \[\]/);
    expect(await rollout.runs()).toEqual(before);
    const named = await plane.ended(await plane.apply(revision, [other]));
    expect(named).toMatchObject({
      state: 'succeeded',
      result: { canaries_left_out: [{ speaker_id: canary, reason: 'The speaker canary is disabled.' }] },
    });
    expect(await rollout.runs()).toEqual([before[0], revision]);
  });

  test('lets later applies wait for it, of which only the last is carried out', async () => {
    const { plane } = rollout;
    await rollout.set({ deploy_canary_soak_seconds: 600 });
    const [first, second, third] = [
      await rollout.nextRevision(),
      await rollout.nextRevision(),
      await rollout.nextRevision(),
    ];
    const jobs = [await plane.apply(first)];
    await inPhase(plane, jobs[0]!, 'soak');
    jobs.push(await plane.apply(second));
    await inPhase(plane, jobs[1]!, 'waiting for an older apply');
    jobs.push(await plane.apply(third));
    expect(speakerResults(await plane.ended(jobs[1]!))).toMatchObject([
      { status: 'unchanged', error: 'A newer apply took its place.' },
      { status: 'unchanged' },
    ]);
    await inPhase(plane, jobs[2]!, 'waiting for an older apply');
    await rollout.set({ deploy_canary_soak_seconds: 1 });
    expect(await plane.ended(jobs[0]!)).toMatchObject({ state: 'succeeded' });
    expect(await plane.ended(jobs[2]!)).toMatchObject({ state: 'succeeded' });
    expect(await rollout.runs()).toEqual([third, third]);
  });
});
