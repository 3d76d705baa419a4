import { beforeAll, expect, test } from 'vitest';
import type { SettingsPatch, StoppedApply } from '../../../src/api/operation/settings.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import { adoptAppliedRevision } from '../../../src/control/rollout/adopt-revision.ts';
import { enqueueApply } from '../../../src/control/revisions/apply-input.ts';
import { listStoppedApplies } from '../../../src/control/rollout/resume-applies.ts';
import { requestPeerReconcile } from '../../../src/control/speakers/reconcile-peers.ts';
import { changeSettings, followSettings } from '../../../src/control/tenants/settings.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { takingBack } from '../../../src/store/database/taking-back.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { updateSpeaker } from '../../../src/store/speakers/speakers.ts';
import { waitFor } from '../../daemons/wait.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

/** As a request does it. */
async function changeIn(tx: TenantTx, patch: SettingsPatch): Promise<StoppedApply[]> {
  await changeSettings(tx, patch);
  return followSettings(tx, plane.context, patch);
}

const change = (patch: SettingsPatch): Promise<StoppedApply[]> => plane.run((tx) => changeIn(tx, patch));
const stopped = (): Promise<StoppedApply[]> => plane.run(listStoppedApplies);
const applies = async (): Promise<Job[]> =>
  (await plane.run((tx) => listJobs(tx, { type: 'apply', limit: 100 }))).items;

/** A revision that was built while applies were frozen. */
async function frozen(): Promise<{ readonly moduleId: string; readonly waiting: string }> {
  const { moduleId } = await applied(guarded, scattered(4));
  await change({ deploy_freeze: true });
  return { moduleId, waiting: await buildFrozen(moduleId, 5) };
}

/** @returns the id of a revision that brings so many prefixes, and whose apply the freeze stops */
async function buildFrozen(moduleId: string, prefixes: number): Promise<string> {
  guarded.answer('/list', scattered(prefixes));
  const { result } = await plane.ended(await plane.refresh(moduleId));
  const apply = await plane.ended({ id: String(result!.apply_job_id) });
  expect(apply.error).toMatchObject({ code: 'deploy_frozen' });
  return String(result!.revision_id);
}

test('what the freeze stopped is applied when it is over, and the answer names it', async () => {
  const { waiting } = await frozen();
  expect(await guarded.runs()).not.toBe(waiting);
  const reported = { revision_id: waiting, speaker_ids: null };
  expect(await stopped()).toMatchObject([{ ...reported, apply_job_id: null }]);
  const [resumed] = await change({ deploy_freeze: false });
  expect(resumed).toMatchObject(reported);
  await plane.succeeded({ id: resumed!.apply_job_id! });
  expect(await guarded.runs()).toBe(waiting);
  expect(await stopped()).toEqual([]);
});

test('it waits for an operator where revisions are not applied by themselves', async () => {
  const { waiting } = await frozen();
  const reported = await change({ auto_apply: false, deploy_freeze: null });
  expect(reported).toMatchObject([{ revision_id: waiting, apply_job_id: null }]);
  await plane.idle();
  expect(await guarded.runs()).not.toBe(waiting);
  await plane.succeeded(await plane.apply());
  expect(await guarded.runs()).toBe(waiting);
});

test('what was added during the freeze and has left again waits for nobody', async () => {
  const { moduleId } = await frozen();
  const running = await guarded.runs();
  guarded.answer('/list', scattered(4));
  const { result } = await plane.ended(await plane.refresh(moduleId));
  expect(result).toMatchObject({ revision_created: true, apply_job_id: null });
  expect(await stopped()).toEqual([]);
  expect(await change({ deploy_freeze: false })).toEqual([]);
  await plane.idle();
  expect(await guarded.runs()).toBe(running);
});

test('an older revision that was applied before stays', async () => {
  const { moduleId } = await applied(guarded, scattered(4));
  const older = (await guarded.runs())!;
  guarded.answer('/list', scattered(5));
  await guarded.refresh(moduleId);
  await plane.succeeded(await plane.apply(older));
  await change({ deploy_freeze: true });
  expect(await change({ deploy_freeze: false })).toEqual([]);
  await plane.idle();
  expect(await guarded.runs()).toBe(older);
});

test('what came after it to one speaker, or to keep all at theirs, hides it not', async () => {
  const { waiting } = await frozen();
  await plane.run((tx) => requestPeerReconcile(tx, plane.context, null));
  const late = await plane.addSpeaker('late');
  await plane.run((tx) => adoptAppliedRevision(tx, plane.context, late));
  await plane.idle();
  expect((await applies()).filter(({ error }) => error?.code === 'deploy_frozen').length).toBeGreaterThan(2);
  const reported = await change({ deploy_freeze: false });
  expect(reported.map((one) => one.speaker_ids)).toEqual([null, [late.id]]);
  // One apply brings it to both.
  expect(new Set(reported.map((one) => one.apply_job_id)).size).toBe(1);
  await plane.succeeded({ id: reported[0]!.apply_job_id! });
  expect((await plane.speaker(late.id)).applied_revision_id).toBe(waiting);
  await disable(late.id);
});

test('a speaker that came meanwhile gets what the others run, also where nothing is applied by itself', async () => {
  await applied(guarded, scattered(4));
  const running = await guarded.runs();
  await change({ deploy_freeze: true, auto_apply: false });
  const late = await plane.addSpeaker('later');
  await plane.run((tx) => adoptAppliedRevision(tx, plane.context, late));
  await plane.idle();
  const [reported] = await change({ deploy_freeze: false });
  expect(reported).toMatchObject({ revision_id: running, speaker_ids: [late.id] });
  await plane.succeeded({ id: reported!.apply_job_id! });
  expect((await plane.speaker(late.id)).applied_revision_id).toBe(running);
  await disable(late.id);
});

test('an apply to some speakers goes on, but not to one that a later apply went to', async () => {
  const { moduleId } = await applied(guarded, scattered(4));
  const [one, other] = [await plane.addSpeaker('one of two'), await plane.addSpeaker('other of two')];
  const older = (await guarded.runs())!;
  await plane.succeeded(await plane.apply(older, [other.id]));
  guarded.answer('/list', scattered(5));
  const { id: latest } = await guarded.refresh(moduleId);
  // Queued before the freeze, and begun behind it.
  const jobs = await plane.run(async (tx) => {
    const both = await enqueueApply(tx, plane.context, {
      revision_id: older,
      speaker_ids: [one.id, other.id],
    });
    const later = await enqueueApply(tx, plane.context, { revision_id: latest, speaker_ids: [other.id] });
    await changeIn(tx, { deploy_freeze: true });
    return [both, later];
  });
  for (const job of jobs) expect((await plane.ended(job)).error?.code).toBe('deploy_frozen');
  const reported = await change({ deploy_freeze: false });
  expect(reported).toMatchObject([
    { stopped_job_id: jobs[0]!.id, revision_id: older, speaker_ids: [one.id] },
    { stopped_job_id: jobs[1]!.id, revision_id: latest, speaker_ids: [other.id] },
  ]);
  for (const { apply_job_id: id } of reported) await plane.succeeded({ id: id! });
  expect((await plane.speaker(one.id)).applied_revision_id).toBe(older);
  expect((await plane.speaker(other.id)).applied_revision_id).toBe(latest);
  await Promise.all([one, other].map(({ id }) => disable(id)));
});

test('a revision that is built while the freeze ends comes last', async () => {
  const { moduleId, waiting } = await frozen();
  guarded.answer('/list', scattered(6));
  let build!: Job;
  let ending!: Promise<StoppedApply[]>;
  await plane.run(async (tx) => {
    await lockTenant(tx, 'revision'); // both wait for this
    build = await plane.refresh(moduleId);
    await waitFor(() => isWaiting(1), { what: 'the build to wait' });
    ending = change({ deploy_freeze: false });
    await waitFor(() => isWaiting(2), { what: 'the end of the freeze to wait' });
  });
  const { revision_id: latest } = await plane.succeeded(build);
  const reported = await ending;
  expect(reported.map((one) => one.revision_id)).not.toContain(waiting);
  await plane.idle();
  expect(await guarded.runs()).toBe(latest);
});

test('an apply that is about to be stopped when the freeze ends goes on', async () => {
  const { moduleId } = await applied(guarded, scattered(4));
  await change({ deploy_freeze: true });
  guarded.answer('/list', scattered(5));
  let job!: Job;
  await plane.run(async (tx) => {
    await lockTenant(tx, 'settings'); // as one that ends a freeze
    job = await plane.refresh(moduleId);
    await waitFor(() => isWaiting(1), { what: 'the apply to be about to end' });
    expect(await changeIn(tx, { deploy_freeze: false })).toEqual([]);
  });
  const { apply_job_id: id, revision_id: latest } = await plane.succeeded(job);
  expect((await plane.job(String(id))).state).toBe('succeeded');
  expect(await guarded.runs()).toBe(latest);
});

test('two who end the freeze at once apply what waits once', async () => {
  const { waiting } = await frozen();
  const before = (await applies()).length;
  const reported = await Promise.all([change({ deploy_freeze: false }), change({ deploy_freeze: null })]);
  expect(reported.flat().filter((one) => one.apply_job_id !== null)).toHaveLength(1);
  await plane.idle();
  expect(await guarded.runs()).toBe(waiting);
  expect((await applies()).length).toBe(before + 1);
});

test('a dry run of the end says what would be applied where, and applies nothing', async () => {
  const { waiting } = await frozen();
  const before = (await applies()).length;
  const { result, effect } = await plane.run((tx) =>
    takingBack(tx, () => measureEffect(tx, plane.context, () => changeIn(tx, { deploy_freeze: false }))),
  );
  expect(result).toMatchObject([{ revision_id: waiting }]);
  expect(effect).toMatchObject({
    revision: null,
    applied_by_itself: true,
    speakers: [{ name: 'one', announced: 1, withdrawn: 0, changed: 0 }],
  });
  await plane.idle();
  expect((await applies()).length).toBe(before);
  expect(await stopped()).toMatchObject([{ revision_id: waiting }]);
});

function disable(id: string): Promise<unknown> {
  return plane.run((tx) => updateSpeaker(tx, id, { enabled: false }, null));
}

/** Whether so many transactions wait for a lock by name. */
async function isWaiting(count: number): Promise<boolean> {
  const sql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return (await plane.database.admin(sql)).length >= count;
}
