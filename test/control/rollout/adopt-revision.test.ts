import { afterAll, beforeAll, expect, test } from 'vitest';
import { adoptAppliedRevision } from '../../../src/control/rollout/adopt-revision.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { noteAgent } from '../../../src/store/nodes/agents.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { getSpeaker } from '../../../src/store/speakers/speakers.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule } from './rollout.ts';

let plane: Plane;
let module: GrowingModule;

beforeAll(async () => {
  plane = await startPlane();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  module = await GrowingModule.create(plane);
});
afterAll(() => plane?.close());

/** As the routes of speakers do. */
const adopt = (speaker: Speaker): Promise<unknown> =>
  plane.run((tx) => adoptAppliedRevision(tx, plane.context, speaker));
const jobs = async (): Promise<Job[]> =>
  (await plane.run((tx) => listJobs(tx, { type: 'apply', limit: 500 }))).items;
const runs = async (id: string): Promise<string | null> => (await plane.speaker(id)).applied_revision_id;

test('a new speaker gets nothing while nothing was applied, then by itself what was applied last', async () => {
  const first = await plane.addSpeaker('first');
  await adopt(first);
  expect(await jobs()).toEqual([]);
  await plane.hold();
  const revision = await module.nextRevision();
  await plane.succeeded(await plane.apply(revision, [first.id]));
  await module.nextRevision(); // which nobody has applied
  const second = await plane.addSpeaker('second');
  await adopt(second);
  await waitFor(async () => (await runs(second.id)) === revision, { what: 'the new speaker to follow' });
  await plane.idle();
  const made = (await jobs()).length;
  await adopt((await plane.run((tx) => getSpeaker(tx, second.id))).resource);
  expect((await jobs()).length).toBe(made);
});

test('one that is created while an apply is on its way gets what that brings', async () => {
  const revision = await module.nextRevision();
  const job = await plane.apply(revision);
  const late = await plane.addSpeaker('late');
  await adopt(late);
  await plane.succeeded(job);
  await waitFor(async () => (await runs(late.id)) === revision, { what: 'the late speaker to follow' });
});

test('one that is enabled again follows too, and a freeze holds', async () => {
  const speaker = await plane.addSpeaker('off for a while');
  await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: false }, null));
  const revision = await module.nextRevision();
  await plane.succeeded(await plane.apply(revision));
  await plane.run((tx) => changeSettings(tx, { deploy_freeze: true }));
  const { resource: on } = await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: true }, null));
  await adopt(on);
  await plane.idle();
  const frozen = (await jobs()).find(({ error }) => error?.code === 'deploy_frozen');
  expect(frozen).toBeDefined();
  expect(await runs(speaker.id)).toBeNull();
  await plane.run((tx) => changeSettings(tx, { deploy_freeze: false }));
  await adopt(on);
  await waitFor(async () => (await runs(speaker.id)) === revision, { what: 'the speaker to follow' });
});

test('a speaker of a node waits for its node, and is queued once that has enrolled', async () => {
  const body = { name: 'node', mode: 'agent', daemon: 'bird', local_asn: 64512 } as const;
  const { resource: waiting } = await plane.run((tx) => createSpeaker(tx, plane.context, body));
  const before = (await jobs()).length;
  await adopt(waiting);
  expect((await jobs()).length).toBe(before);
  await plane.run((tx) => noteAgent(tx, waiting.id, { version: 'test', hostname: 'node' }));
  await adopt((await plane.run((tx) => getSpeaker(tx, waiting.id))).resource);
  expect((await jobs()).length).toBe(before + 1);
});

test('what all were to get when there was nobody goes to the first who comes', async () => {
  const empty = await startPlane();
  try {
    await empty.run((tx) => changeSettings(tx, { auto_apply: false }));
    const growing = await GrowingModule.create(empty);
    const asked = await growing.nextRevision();
    await empty.succeeded(await empty.apply(asked));
    await growing.nextRevision(); // which nobody has asked for
    await empty.hold();
    const adoptIn = (speaker: Speaker): Promise<unknown> =>
      empty.run((tx) => adoptAppliedRevision(tx, empty.context, speaker));
    const first = await empty.addSpeaker('first');
    await adoptIn(first);
    const follows = async (revision: string): Promise<boolean> =>
      (await empty.speaker(first.id)).applied_revision_id === revision;
    await waitFor(() => follows(asked), { what: 'the first speaker to get what was asked for' });
  } finally {
    await empty.close();
  }
});

test('where revisions are applied by themselves, the first speaker gets the latest', async () => {
  const empty = await startPlane();
  try {
    const growing = await GrowingModule.create(empty);
    const latest = await growing.nextRevision();
    await empty.hold();
    const first = await empty.addSpeaker('first');
    await empty.run((tx) => adoptAppliedRevision(tx, empty.context, first));
    const follows = async (): Promise<boolean> =>
      (await empty.speaker(first.id)).applied_revision_id === latest;
    await waitFor(follows, { what: 'the first speaker to get the latest revision' });
  } finally {
    await empty.close();
  }
});
