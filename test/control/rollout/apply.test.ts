import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import type { PeerCreate } from '../../../src/api/speakers/peers.ts';
import { cancelJob } from '../../../src/control/rollout/cancel-job.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule, createModule } from '../../../src/control/lists/modules.ts';
import { changePeer, createPeer, removePeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { changeSpeaker } from '../../../src/control/speakers/speakers.ts';
import { listAppliesOf, startNextApply } from '../../../src/store/rollout/applies.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { listAllPeers } from '../../../src/store/speakers/peers.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import { deleteSpeaker, listAllSpeakers } from '../../../src/store/speakers/speakers.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { GrowingModule, speakerResults } from './rollout.ts';
import { startPlane, type Holding, type Plane } from '../plane.ts';
import { enqueueReapply } from '../../../src/control/revisions/apply-input.ts';

let plane: Plane;
let module: GrowingModule;
let holding: Holding | null = null;

beforeAll(async () => {
  plane = await startPlane();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  const community_id = await plane.addCommunity('64500:1');
  module = await GrowingModule.create(plane, { community_id });
});
afterAll(() => plane?.close());
beforeEach(async () => {
  await holding?.close();
  holding = null;
  await plane.run(async (tx) => {
    await changeSettings(tx, { deploy_freeze: null });
    for (const { id } of await listAllPeers(tx)) await removePeer(tx, plane.context, id, null);
    for (const { id } of await listAllSpeakers(tx)) await deleteSpeaker(tx, id, null);
  });
  await plane.idle();
});

const nextRevision = (): Promise<string> => module.nextRevision();

const states = async ({ id }: Job): Promise<string[]> =>
  (await plane.run((tx) => listAppliesOf(tx, id))).map(({ state }) => state);

const addPeer = (body: Partial<PeerCreate>) =>
  plane.run((tx) =>
    createPeer(tx, plane.context, { name: 'p', address: '127.0.0.1', remote_asn: 64496, ...body }),
  );

const runs = async ({ id }: Speaker): Promise<string | null> => (await plane.speaker(id)).applied_revision_id;

describe('an apply', () => {
  test('moves every enabled speaker to the latest ready revision, and none that is there already', async () => {
    holding = await plane.hold();
    const speakers = [await plane.addSpeaker('one'), await plane.addSpeaker('two')];
    const revision = await nextRevision();
    const count = (await plane.revision(revision)).prefix_count.ipv4;
    const job = await plane.ended(await plane.apply());
    expect(job).toMatchObject({ state: 'succeeded', result: { revision_id: revision } });
    const counts = { announced: count, withdrawn: 0, changed: 0 };
    const applied = { wave: 1, status: 'applied', ...counts, code: null, error: null, peers: [] };
    expect(speakerResults(job)).toEqual(speakers.map(({ id }) => ({ speaker_id: id, ...applied })));
    for (const { id } of speakers)
      expect(await plane.speaker(id)).toMatchObject({
        applied_revision_id: revision,
        last_apply: { status: 'ok', error: null, job_id: job.id },
      });
    const again = await plane.ended(await plane.apply());
    expect(speakerResults(again)).toMatchObject([
      { status: 'unchanged', announced: 0, withdrawn: 0 },
      { status: 'unchanged' },
    ]);
  });

  test('of what speakers run anyway goes to none that is on its way back to nothing', async () => {
    holding = await plane.hold();
    const [going, staying] = [await plane.addSpeaker('one'), await plane.addSpeaker('two')];
    await nextRevision();
    const first = await plane.ended(await plane.apply());
    await holding.close();
    holding = null;
    // As a canary that ran nothing before is left, when it has not shown that it bears the routes.
    await plane.database.admin(
      "UPDATE speaker_apply SET state = 'undoing', finished_at = NULL, previous_revision_id = NULL WHERE job_id = $1 AND speaker_id = $2",
      [first.id, going.id],
    );
    const again = await plane.run((tx) => enqueueReapply(tx, plane.context, null));
    await expect.poll(() => states(again)).toEqual(['queued']);
    const [only] = await plane.run((tx) => listAppliesOf(tx, again.id));
    expect(only).toMatchObject({ speaker_id: staying.id });
    await plane.run((tx) => cancelJob(tx, again.id));
  });

  test('goes back to an older revision when that is what is asked for', async () => {
    holding = await plane.hold();
    const speaker = await plane.addSpeaker('one');
    const [old, latest] = [await nextRevision(), await nextRevision()];
    await plane.succeeded(await plane.apply(latest));
    expect(speakerResults(await plane.ended(await plane.apply(old)))).toMatchObject([
      { announced: 0, withdrawn: 1 },
    ]);
    expect(await runs(speaker)).toBe(old);
  });

  test('moves the speakers that it names, and no other; ids are ids in any case', async () => {
    holding = await plane.hold();
    const [one, two] = [await plane.addSpeaker('one'), await plane.addSpeaker('two')];
    const revision = await nextRevision();
    const job = await plane.ended(await plane.apply(revision, [two.id.toUpperCase()]));
    expect(speakerResults(job).map(({ speaker_id: id }) => id)).toEqual([two.id]);
    expect([await runs(one), await runs(two)]).toEqual([null, revision]);
  });

  test('leaves out a speaker that is disabled, and refuses it by name', async () => {
    holding = await plane.hold();
    const [on, off] = [await plane.addSpeaker('on'), await plane.addSpeaker('off')];
    await plane.run((tx) => changeSpeaker(tx, off.id, { enabled: false }, null));
    const revision = await nextRevision();
    await expect(plane.apply(revision, [off.id])).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/speaker_ids/0' }],
    });
    const job = await plane.ended(await plane.apply());
    expect(speakerResults(job).map(({ speaker_id: id }) => id)).toEqual([on.id]);
  });
});

describe('a speaker that fails', () => {
  let occupant: Server;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(port, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => occupant.close(resolve)));

  test('is reported by the apply in its own words, the others go on, and a retry fixes it alone', async () => {
    const [good, bad] = [await plane.addSpeaker('good'), await plane.addSpeaker('bad')];
    // A peer that must call needs the address that another program has.
    const { resource: peer } = await addPeer({ passive: true, speaker_ids: [bad.id] });
    holding = await plane.hold({ host: '127.0.0.1', port });
    const revision = await nextRevision();
    const job = await plane.ended(await plane.apply());
    expect(job).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'apply_failed' } });
    expect(job.error?.detail).toContain('1 of 2 speakers');
    expect(speakerResults(job)).toMatchObject([
      { speaker_id: good.id, status: 'applied', error: null },
      { speaker_id: bad.id, status: 'failed', announced: 0 },
    ]);
    expect(speakerResults(job)[1]!.error).toMatch(
      new RegExp(`cannot listen .* port ${port}.*APP_BGP_LISTEN`),
    );
    expect([await runs(good), await runs(bad)]).toEqual([revision, null]);
    const failures = plane.events.filter(({ event }) => event === 'apply_failed');
    expect(failures).toMatchObject([
      { fields: { speaker_id: bad.id, speaker: 'bad', revision_id: revision, outcome: 'failed' } },
    ]);
    expect(failures[0]!.text).toMatch(
      /^The speaker bad did not take revision \d+, after .*: .*cannot listen/,
    );
    expect((await plane.speaker(bad.id)).last_apply).toMatchObject({ status: 'failed', job_id: job.id });

    await plane.run((tx) => changePeer(tx, plane.context, peer.id, { enabled: false }, null));
    const retry = await plane.ended(await plane.apply());
    expect(speakerResults(retry)).toMatchObject([
      { speaker_id: good.id, status: 'unchanged' },
      { speaker_id: bad.id, status: 'applied' },
    ]);
    expect(await runs(bad)).toBe(revision);
  });
});

describe('cancelling an apply', () => {
  test('that waits for a holder: no speaker is moved, not even later', async () => {
    const speaker = await plane.addSpeaker('one');
    const revision = await nextRevision();
    const job = await plane.apply(revision);
    await waitFor(async () => (await plane.run((tx) => listAppliesOf(tx, job.id))).length === 1, {
      what: 'the apply to run',
    });
    await plane.run((tx) => cancelJob(tx, job.id));
    expect(await plane.ended(job)).toMatchObject({ state: 'cancelled', error: null });
    expect(await plane.run((tx) => listAppliesOf(tx, job.id))).toMatchObject([{ state: 'superseded' }]);
    holding = await plane.hold();
    await waitFor(async () => (await plane.speaker(speaker.id)).live?.reachable, { what: 'a holder' });
    const other = await plane.ended(await plane.apply(revision, [speaker.id]));
    expect(speakerResults(other)).toMatchObject([{ status: 'applied' }]);
    expect((await plane.run((tx) => listAppliesOf(tx, job.id)))[0]!.state).toBe('superseded');
  });
});

describe('cancelling an apply that every speaker has begun', () => {
  test('is refused, and the apply ends as it would', async () => {
    const speaker = await plane.addSpeaker('one');
    const revision = await nextRevision();
    const job = await plane.apply(revision);
    await waitFor(async () => (await states(job))[0] === 'queued', { what: 'the apply to wait' });
    const begin = (state: string): Promise<unknown> =>
      plane.database.admin('UPDATE speaker_apply SET state = $1 WHERE job_id = $2', [state, job.id]);
    // As its holder writes it when it begins.
    await begin('running');
    await expect(plane.run((tx) => cancelJob(tx, job.id))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('nothing left to cancel') as string,
    });
    await begin('queued');
    holding = await plane.hold();
    expect(await plane.ended(job)).toMatchObject({ state: 'succeeded' });
    expect(await runs(speaker)).toBe(revision);
  });
});

describe('a speaker that is disabled while an apply goes to it', () => {
  test.each(['queued', 'running'])('is not waited for, and reported as such: %s', async (state) => {
    const first = await plane.addSpeaker('one');
    const job = await plane.apply(await nextRevision());
    await waitFor(async () => (await states(job))[0] === 'queued', { what: 'the apply to wait' });
    // As its holder leaves it, who has let go of it.
    await plane.database.admin('UPDATE speaker_apply SET state = $1 WHERE job_id = $2', [state, job.id]);
    await plane.run((tx) => changeSpeaker(tx, first.id, { enabled: false }, null));
    const ended = await plane.ended(job);
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'apply_failed' } });
    expect(speakerResults(ended)).toMatchObject([
      { status: 'failed', error: expect.stringMatching(/was disabled/) as string },
    ]);
    await plane.run((tx) => changeSpeaker(tx, first.id, { enabled: true }, null));
    holding = await plane.hold();
    await waitFor(async () => (await plane.speaker(first.id)).live?.reachable, { what: 'a holder' });
    expect(await states(job)).toEqual(['failed']);
    expect(await runs(first)).toBeNull();
  });
});

describe('an apply that waits for a holder when applies are frozen', () => {
  test('is not begun before they go on', async () => {
    const speaker = await plane.addSpeaker('one');
    const revision = await nextRevision();
    const job = await plane.apply(revision);
    // One that is only planned is skipped by a freeze.
    const isQueued = async () =>
      (await plane.run((tx) => listAppliesOf(tx, job.id))).some(({ state }) => state === 'queued');
    await waitFor(isQueued, { what: 'the apply to wait for a holder' });
    await plane.run((tx) => changeSettings(tx, { deploy_freeze: true }));
    holding = await plane.hold();
    await waitFor(async () => (await plane.speaker(speaker.id)).live?.reachable, { what: 'a holder' });
    const sql = 'SELECT holder FROM speaker_lease WHERE speaker_id = $1';
    const [lease] = await plane.database.admin<{ holder: string }>(sql, [speaker.id]);
    expect(await plane.run((tx) => startNextApply(tx, speaker.id, lease!.holder))).toBeNull();
    expect(await plane.run((tx) => listAppliesOf(tx, job.id))).toMatchObject([{ state: 'queued' }]);
    expect(await runs(speaker)).toBeNull();
    await plane.run((tx) => changeSettings(tx, { deploy_freeze: null }));
    expect(speakerResults(await plane.ended(job))).toMatchObject([{ status: 'applied', error: null }]);
    expect(await runs(speaker)).toBe(revision);
  });
});

describe('an apply that still waits when its job has given up', () => {
  test('does not move the speaker from the content that a refresh has brought back since', async () => {
    const speaker = await plane.addSpeaker('one');
    const first = await plane.hold();
    await plane.succeeded(await plane.apply(await nextRevision()));
    await first.close();
    const body = { name: 'only for a while', type: 'IP_RANGES' } as const;
    const { resource: more } = await plane.run((tx) => createModule(tx, body));
    await plane.run((tx) => createIpRangeEntries(tx, more.id, [{ cidr: '12.0.0.0/24' }], () => ''));
    const job = await plane.apply(String((await plane.succeeded(await plane.refresh(more.id))).revision_id));
    await waitFor(async () => (await states(job))[0] === 'queued', { what: 'the apply to wait' });
    await plane.database.admin(
      `UPDATE speaker_apply SET queued_at = now() - interval '1 hour' WHERE job_id = $1`,
      [job.id],
    );
    expect(await plane.ended(job)).toMatchObject({ state: 'failed' });
    expect(await states(job)).toEqual(['queued']);

    await plane.run((tx) => changeSettings(tx, { auto_apply: true }));
    await plane.run((tx) => changeModule(tx, more.id, { enabled: false }, null));
    const refreshed = (await plane.ended(await plane.refresh(module.id))).result!;
    holding = await plane.hold();
    await waitFor(async () => (await states(job))[0] !== 'queued', { what: 'the speaker to look' });
    await plane.idle();
    // What goes nowhere else is no reason for another.
    const again = (await plane.ended(await plane.refresh(module.id))).result!;
    await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
    expect(await runs(speaker)).toBe(refreshed.revision_id);
    expect(await states(job)).toEqual(['superseded']);
    expect(again.apply_job_id).toBeNull();
  });
});

describe('a write to a peer', () => {
  test('reconciles and applies by itself: the same revision, nothing collected', async () => {
    holding = await plane.hold();
    const speaker = await plane.addSpeaker('one');
    const other = await plane.addSpeaker('two');
    const revision = await nextRevision();
    await plane.succeeded(await plane.apply(revision, [speaker.id]));
    const latest = await nextRevision(); // and not applied
    const { applied_at: appliedAt } = await plane.speaker(speaker.id);
    const count = async (type: 'module_refresh' | 'peer_reconcile') =>
      (await plane.run((tx) => listJobs(tx, { type, limit: 500 }))).items.length;
    const before = [await count('module_refresh'), await count('peer_reconcile')];

    const { resource: peer } = await addPeer({ address: '127.0.0.3', port: await freePort() });
    await plane.run((tx) => changePeer(tx, plane.context, peer.id, { hold_time: 30 }, null));
    await plane.run((tx) => removePeer(tx, plane.context, peer.id, null));
    await plane.idle();
    expect([await count('module_refresh'), await count('peer_reconcile')]).toEqual([
      before[0],
      before[1]! + 3,
    ]);
    const jobs = (await plane.run((tx) => listJobs(tx, { resource_id: peer.id, limit: 500 }))).items;
    const reconciles = jobs.filter(({ type }) => type === 'peer_reconcile');
    const applies = jobs.filter(({ type }) => type === 'apply');
    expect(reconciles.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(applies.map((job) => [job.state, job.requested_by])).toEqual(
      Array.from({ length: 3 }, () => ['succeeded', 'key:test']),
    );
    expect(applies.map(({ parent_id: parent }) => parent).sort()).toEqual(
      reconciles.map(({ id }) => id).sort(),
    );
    // Only the speaker that runs something has anything to keep.
    for (const apply of applies)
      expect(speakerResults(apply)).toMatchObject([
        { speaker_id: speaker.id, status: 'unchanged', error: null },
      ]);
    expect(await plane.speaker(speaker.id)).toMatchObject({
      applied_revision_id: revision,
      applied_at: appliedAt,
    });
    expect(await runs(other)).toBeNull();
    const { items } = await plane.run((tx) => listRevisions(tx, { limit: 500 }));
    expect(items[0]!.id).toBe(latest);
  });
});
