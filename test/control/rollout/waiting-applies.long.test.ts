/** Applies that wait together: of those that go to the same speakers only the last is of interest. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { adoptAppliedRevision } from '../../../src/control/rollout/adopt-revision.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { listAppliesOf } from '../../../src/store/rollout/applies.ts';
import { deleteSpeaker, listAllSpeakers } from '../../../src/store/speakers/speakers.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Holding, type Plane, startPlane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

let plane: Plane;
let module: GrowingModule;
let holding: Holding | null = null;

beforeAll(async () => {
  plane = await startPlane();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  module = await GrowingModule.create(plane);
});
afterAll(() => plane?.close());
beforeEach(async () => {
  await holding?.close();
  holding = null;
  await plane.run(async (tx) => {
    for (const { id } of await listAllSpeakers(tx)) await deleteSpeaker(tx, id, null);
  });
  await plane.idle();
});

const nextRevision = (): Promise<string> => module.nextRevision();
const states = async ({ id }: Job): Promise<string[]> =>
  (await plane.run((tx) => listAppliesOf(tx, id))).map(({ state }) => state);
const runs = async ({ id }: Speaker): Promise<string | null> => (await plane.speaker(id)).applied_revision_id;

test('two end in the one that was asked for last, whichever is taken up first', async () => {
  const speaker = await plane.addSpeaker('one');
  const [older, newer] = [await nextRevision(), await nextRevision()];
  const first = await plane.apply(older);
  const second = await plane.apply(newer);
  const queued = async (job: Job) => (await plane.run((tx) => listAppliesOf(tx, job.id))).length === 1;
  await waitFor(async () => (await queued(first)) && (await queued(second)), { what: 'both to be queued' });
  // As if the worker of the second had been the quicker one.
  await plane.database.admin(
    `UPDATE speaker_apply SET id = gen_random_uuid(), queued_at = now() + interval '1 hour' WHERE job_id = $1`,
    [first.id],
  );
  holding = await plane.hold();
  const ended = [await plane.ended(first), await plane.ended(second)];
  expect(ended.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  expect(speakerResults(ended[0]!)).toMatchObject([
    { status: 'unchanged', error: 'A newer apply took its place.' },
  ]);
  expect(speakerResults(ended[1]!)).toMatchObject([{ status: 'applied', error: null }]);
  expect(await runs(speaker)).toBe(newer);
});

test('thirty that are asked for one after the other: the speaker goes to the last, and through none between', async () => {
  holding = await plane.hold();
  const speaker = await plane.addSpeaker('one');
  const revisions = [await nextRevision(), await nextRevision(), await nextRevision()];
  await plane.succeeded(await plane.apply(revisions[2]));
  const ended = (): number => plane.events.filter(({ event }) => event === 'apply_ended').length;
  const before = ended();
  // In one transaction, so that none begins before all are there.
  const jobs = await plane.run(async (tx) => {
    const asked: Job[] = [];
    for (let n = 0; n < 30; n++)
      asked.push(await requestApply(tx, plane.context, { revision_id: revisions[n % 2]! }));
    return asked;
  });
  const last = jobs.pop()!;
  expect(speakerResults(await plane.ended(last))).toMatchObject([{ status: 'applied', error: null }]);
  for (const job of jobs)
    expect(speakerResults(await plane.ended(job))).toMatchObject([
      { status: 'unchanged', error: 'A newer apply took its place.' },
    ]);
  expect(await runs(speaker)).toBe(revisions[1]);
  expect(ended() - before).toBe(1);
});

test('one that was overtaken ends when the newer one has, so that whoever waits for it finds what that brings', async () => {
  const speaker = await plane.addSpeaker('one');
  const [older, newer] = [await nextRevision(), await nextRevision()];
  const [first, second] = await plane.run(async (tx) => [
    await requestApply(tx, plane.context, { revision_id: older }),
    await requestApply(tx, plane.context, { revision_id: newer }),
  ]);
  await waitFor(async () => (await plane.job(first.id)).progress?.phase === 'waiting for a newer apply', {
    what: 'the first apply to wait',
  });
  expect(await states(first)).toEqual(['superseded']);
  holding = await plane.hold();
  const overtaken = await plane.ended(first);
  expect(speakerResults(overtaken)).toMatchObject([{ status: 'unchanged' }]);
  expect(overtaken.progress).toMatchObject({ done: 1, total: 1 });
  expect(await plane.job(second.id)).toMatchObject({ state: 'succeeded' });
  expect(await runs(speaker)).toBe(newer);
});

test('one for a speaker that has just come takes the place of none: it brings what that brought', async () => {
  const speaker = await plane.addSpeaker('one');
  const revision = await nextRevision();
  const first = await plane.run(async (tx) => {
    const job = await requestApply(tx, plane.context, { revision_id: revision });
    await adoptAppliedRevision(tx, plane.context, speaker);
    return job;
  });
  holding = await plane.hold();
  expect(speakerResults(await plane.ended(first))).toMatchObject([{ status: 'applied', error: null }]);
  await plane.idle();
  expect(await runs(speaker)).toBe(revision);
});

test('a peer that is written while an apply waits does not put the speaker back', async () => {
  const speaker = await plane.addSpeaker('one');
  const [older, newer] = [await nextRevision(), await nextRevision()];
  const first = await plane.hold();
  await plane.succeeded(await plane.apply(older));
  await first.close();
  const apply = await plane.apply(newer);
  await waitFor(async () => (await plane.run((tx) => listAppliesOf(tx, apply.id))).length === 1, {
    what: 'the apply to wait',
  });
  const peer = { name: 'p', address: '127.0.0.2', port: await freePort(), remote_asn: 64496 };
  await plane.run((tx) => createPeer(tx, plane.context, peer));
  const [reconcile] = (await plane.run((tx) => listJobs(tx, { type: 'peer_reconcile', limit: 500 }))).items;
  await plane.ended(reconcile!);
  holding = await plane.hold();
  await plane.idle();
  expect(await plane.job(apply.id)).toMatchObject({ state: 'succeeded' });
  expect(await runs(speaker)).toBe(newer);
});
