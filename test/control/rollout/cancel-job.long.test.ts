/** What a cancelled apply says of each of its speakers, in whichever phase it was cancelled. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { SpeakerApplyResult } from '../../../src/api/revisions/apply.ts';
import { JobCancelled } from '../../../src/control/job.ts';
import { cancelJob } from '../../../src/control/rollout/cancel-job.ts';
import { runRollout } from '../../../src/control/rollout/rollout-job.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { startJob } from '../../../src/store/jobs/job-runs.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule, inPhase, speakerResults } from './rollout.ts';

let plane: Plane;
let module: GrowingModule;
/** Of four speakers, in the order in which they are applied to. The first two are canaries. */
let ids: string[];

beforeAll(async () => {
  plane = await startPlane();
  await plane.hold();
  module = await GrowingModule.create(plane);
  ids = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.push((await plane.addSpeaker(name)).id);
  await set({ auto_apply: false, deploy_wave_size: 1 });
  await plane.succeeded(await plane.apply(await module.nextRevision()));
});
afterAll(() => plane?.close());
afterEach(async () => {
  for (const id of ids) await giveBack(id);
  await set({ deploy_canary_speaker_ids: null, deploy_wave_size: 1 });
});

const set = (patch: Parameters<typeof changeSettings>[1]): Promise<unknown> =>
  plane.run((tx) => changeSettings(tx, patch));
const cancel = (job: Job): Promise<unknown> => plane.run((tx) => cancelJob(tx, job.id));
const runs = (): Promise<(string | null)[]> =>
  Promise.all(ids.map(async (id) => (await plane.speaker(id)).applied_revision_id));

/** Nobody who is alive holds the speaker for a while: its apply stays where it is. */
async function takeAway(id: string): Promise<void> {
  const sql = `UPDATE speaker_lease SET holder = gen_random_uuid(), expires_at = now() + '1 hour' WHERE speaker_id = $1`;
  await plane.database.admin(sql, [id]);
}

async function giveBack(id: string): Promise<void> {
  const sql = `UPDATE speaker_lease SET expires_at = now() WHERE speaker_id = $1 AND expires_at > now() + '30 min'`;
  await plane.database.admin(sql, [id]);
}

/** As whoever holds the speaker writes it. */
async function setState(job: Job, id: string, state: 'running' | 'succeeded' | 'failed'): Promise<void> {
  const sql = `UPDATE speaker_apply SET state = $3, finished_at = CASE $3 WHEN 'running' THEN NULL ELSE now() END,
    announced = 1, withdrawn = 0, changed = 0, error = CASE $3 WHEN 'failed' THEN 'It did not take it.' END
    WHERE job_id = $1 AND speaker_id = $2 RETURNING id`;
  expect(await plane.database.admin(sql, [job.id, id, state])).toHaveLength(1);
}

/** Statuses by the order of the speakers. */
async function statuses(job: Job): Promise<string[]> {
  const ended = await plane.ended(job);
  expect(ended).toMatchObject({ state: 'cancelled', error: null });
  const results = speakerResults(ended);
  return ids.map((id) => results.find(({ speaker_id }) => speaker_id === id)!.status);
}

test('before it begins: nobody was touched', async () => {
  const before = await runs();
  await takeAway(ids[0]!);
  const first = await plane.apply(await module.nextRevision());
  await inPhase(plane, first, 'wave 1 of 4');
  const second = await plane.apply(await module.nextRevision());
  await inPhase(plane, second, 'waiting for an older apply');
  await cancel(second);
  expect(await plane.ended(second)).toMatchObject({ state: 'cancelled' });
  expect(speakerResults(await plane.job(second.id))).toEqual([]);
  await cancel(first);
  expect(await statuses(first)).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged']);
  expect(await runs()).toEqual(before);
});

describe('while canaries take it', () => {
  test('one that has it keeps it, and one that had not begun is no fault of theirs', async () => {
    await set({ deploy_canary_speaker_ids: ids.slice(0, 2), deploy_canary_soak_seconds: 60 });
    const before = await runs();
    await takeAway(ids[1]!);
    const revision = await module.nextRevision();
    const job = await plane.apply(revision);
    await waitFor(async () => (await runs())[0] === revision, { what: 'the first canary to have it' });
    await cancel(job);
    expect(await statuses(job)).toEqual(['applied', 'unchanged', 'unchanged', 'unchanged']);
    expect(await runs()).toEqual([revision, ...before.slice(1)]);
  });

  test('one that is on its way back comes back', async () => {
    await set({ deploy_canary_speaker_ids: ids.slice(0, 2), deploy_canary_soak_seconds: 0 });
    for (const id of ids.slice(0, 2)) await takeAway(id);
    const job = await plane.apply(await module.nextRevision());
    await inPhase(plane, job, 'canary');
    await setState(job, ids[0]!, 'succeeded');
    await setState(job, ids[1]!, 'failed');
    await inPhase(plane, job, 'canary undo');
    await cancel(job);
    await giveBack(ids[0]!);
    expect(await statuses(job)).toEqual(['undone', 'failed', 'unchanged', 'unchanged']);
  });
});

describe('between waves', () => {
  test('one that had begun and comes to its end is reported by that', async () => {
    const revision = await module.nextRevision();
    await takeAway(ids[1]!);
    const job = await plane.apply(revision);
    await inPhase(plane, job, 'wave 2 of 4');
    await setState(job, ids[1]!, 'running');
    await cancel(job);
    // Whoever cancels learns what is known then.
    expect(speakerResults(await plane.job(job.id))[1]).toMatchObject({ status: 'unfinished' });
    await setState(job, ids[1]!, 'succeeded');
    expect(await statuses(job)).toEqual(['applied', 'applied', 'unchanged', 'unchanged']);
  });

  test('one that does not come to its end in time goes on', async () => {
    await takeAway(ids[1]!);
    const job = await plane.apply(await module.nextRevision());
    await inPhase(plane, job, 'wave 2 of 4');
    await setState(job, ids[1]!, 'running');
    await cancel(job);
    expect(await statuses(job)).toEqual(['applied', 'unfinished', 'unchanged', 'unchanged']);
    expect(speakerResults(await plane.job(job.id))[1]!.error).toContain('It goes on');
  });
});

test('a run that pauses in the moment of the cancellation ends by that, and says what became of its speakers', async () => {
  await takeAway(ids[0]!);
  const input = { revision_id: await module.nextRevision(), speaker_ids: null };
  // No worker gets a message of it: the run is that of this test.
  const job = await plane.run(async (tx) => {
    const { id } = await insertJob(tx, {
      ...{ type: 'apply', input, resource: null, requestedBy: 'key:test', parentId: null },
    });
    return (await startJob(tx, id, randomUUID()))!.job;
  });
  const cancelling: Promise<void>[] = [];
  const cancelBegun = async (): Promise<void> => {
    await setState(job, ids[0]!, 'running');
    await cancel(job);
  };
  const running = runRollout({
    ...{ db: plane.database.db, tenantId: plane.tenantId, job, input },
    // It learns of the cancellation as it pauses, since no watch looks.
    signal: new AbortController().signal,
    progress: () => {
      if (cancelling.length === 0) cancelling.push(cancelBegun());
    },
  });
  const error: unknown = await running.then(
    () => null,
    (reason: unknown) => reason,
  );
  await Promise.all(cancelling);
  expect(error).toBeInstanceOf(JobCancelled);
  const { speakers } = (error as JobCancelled).result as { speakers: SpeakerApplyResult[] };
  expect(ids.map((id) => speakers.find(({ speaker_id }) => speaker_id === id)!.status)).toEqual([
    ...['unfinished', 'unchanged', 'unchanged', 'unchanged'],
  ]);
});

test('in the last wave: one that has it meanwhile is not reported as failed', async () => {
  await set({ deploy_wave_size: 0 });
  const revision = await module.nextRevision();
  await takeAway(ids[3]!);
  const job = await plane.apply(revision);
  await waitFor(async () => (await runs()).slice(0, 3).every((id) => id === revision), {
    what: 'three speakers to have it',
  });
  await cancel(job);
  expect(await statuses(job)).toEqual(['applied', 'applied', 'applied', 'unchanged']);
});
