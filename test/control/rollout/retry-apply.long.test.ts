import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApplyRequest } from '../../../src/api/revisions/apply.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Problem } from '../../../src/api/problems/problem.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { GrowingModule, inPhase, speakerResults } from './rollout.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let module: GrowingModule;
let occupant: Server;
let ids: string[];
/** The peer that keeps the second speaker from applying anything while it is enabled. */
let obstacle: string;

beforeAll(async () => {
  plane = await startPlane();
  const port = await freePort();
  occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(port, '127.0.0.1', resolve));
  await plane.hold({ host: '127.0.0.1', port });
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  module = await GrowingModule.create(plane);
  ids = [];
  for (const name of ['one', 'two', 'three', 'four']) ids.push((await plane.addSpeaker(name)).id);
  // A peer that must call needs the address that another program has.
  const peer = { name: 'p', address: '127.0.0.1', remote_asn: 64496, passive: true, speaker_ids: [ids[1]!] };
  obstacle = (await plane.run((tx) => createPeer(tx, plane.context, peer))).resource.id;
});
afterAll(async () => {
  await plane?.close();
  await new Promise((resolve) => occupant.close(resolve));
});
beforeEach(async () => {
  const settings = { deploy_freeze: null, deploy_wave_size: null, deploy_wave_max_failures: null };
  await plane.run((tx) => changeSettings(tx, { ...settings, guard_min_prefix_length_ipv4: null }));
  await block(true);
});

/** Waits for the applies that a change of a peer brings about, too. */
async function block(isBlocked: boolean): Promise<void> {
  await plane.run((tx) => changePeer(tx, plane.context, obstacle, { enabled: isBlocked }, null));
  await plane.idle();
}

const nextRevision = (): Promise<string> => module.nextRevision();

const apply = (request: ApplyRequest): Promise<Job> =>
  plane.run((tx) => requestApply(tx, plane.context, request));
const refused = (request: ApplyRequest): Promise<Problem> =>
  apply(request).then(
    () => Promise.reject(new Error('The apply was not refused.')),
    (error: unknown) => error as Problem,
  );
const runs = (): Promise<(string | null)[]> =>
  Promise.all(ids.map(async (id) => (await plane.speaker(id)).applied_revision_id));

describe('a retry', () => {
  test('goes to the speakers that failed, and to no other', async () => {
    const revision = await nextRevision();
    const failed = await plane.ended(await apply({ revision_id: revision }));
    expect(speakerResults(failed).map(({ status }) => status)).toEqual([
      'applied',
      'failed',
      'applied',
      'applied',
    ]);
    await block(false);
    const retry = await plane.ended(await apply({ retry_of: failed.id }));
    expect(retry).toMatchObject({ state: 'succeeded', result: { revision_id: revision } });
    expect(speakerResults(retry)).toMatchObject([{ speaker_id: ids[1], status: 'applied' }]);
    expect(await runs()).toEqual(ids.map(() => revision));
    expect(await refused({ retry_of: retry.id })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('No speaker failed') as string,
    });
    // The first job's failure has been made good.
    expect(await refused({ retry_of: failed.id })).toMatchObject({ code: 'conflict' });
  });

  test('is of the same revision, and goes back at no speaker that a later apply went to', async () => {
    const revision = await nextRevision();
    const failed = await plane.ended(await apply({ revision_id: revision }));
    const other = await nextRevision();
    expect(await refused({ retry_of: failed.id, revision_id: other })).toMatchObject({
      errors: [{ pointer: '/revision_id' }],
    });
    expect(await refused({ retry_of: failed.id, speaker_ids: [ids[0]!] })).toMatchObject({
      errors: [{ pointer: '/speaker_ids' }],
    });
    await block(false);
    await plane.succeeded(await apply({ revision_id: other }));
    expect(await refused({ retry_of: failed.id, revision_id: revision })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('later apply') as string,
    });
    expect(await runs()).toEqual(ids.map(() => other));
  });

  test('names a job of the type apply that has ended', async () => {
    expect(await refused({ retry_of: randomUUID() })).toMatchObject({ errors: [{ pointer: '/retry_of' }] });
    const refresh = await plane.refresh(module.id);
    await plane.ended(refresh);
    expect(await refused({ retry_of: refresh.id })).toMatchObject({ errors: [{ pointer: '/retry_of' }] });
    const running = await apply({});
    expect(await refused({ retry_of: running.id })).toMatchObject({ code: 'conflict' });
    await plane.ended(running);
  });

  test('asks the guardrails again: what let the revision through once does not let it through again', async () => {
    const revision = await nextRevision();
    await plane.run((tx) => changeSettings(tx, { guard_min_prefix_length_ipv4: 25 }));
    const why = { override: ['prefix_too_short' as const], reason: 'as it has always been' };
    const failed = await plane.ended(await apply({ revision_id: revision, ...why }));
    expect(speakerResults(failed).map(({ status }) => status)).toEqual([
      'applied',
      'failed',
      'applied',
      'applied',
    ]);
    await block(false);
    expect(await refused({ retry_of: failed.id })).toMatchObject({ code: 'prefix_too_short' });
    const retry = await plane.ended(await apply({ retry_of: failed.id, ...why }));
    expect(speakerResults(retry)).toMatchObject([{ speaker_id: ids[1], status: 'applied' }]);
    expect(await refused({ revision_id: revision })).toMatchObject({ code: 'prefix_too_short' });
  });
});

describe('an apply in waves', () => {
  test('skips what comes after a wave that failed, and a retry goes on from there', async () => {
    await plane.run((tx) => changeSettings(tx, { deploy_wave_size: 1 }));
    const revision = await nextRevision();
    const job = await apply({ revision_id: revision });
    const failed = await plane.ended(job);
    expect(failed).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'apply_failed' } });
    expect(failed.progress?.phase).toBe('wave 2 of 4');
    expect(speakerResults(failed)).toMatchObject([
      { speaker_id: ids[0], wave: 1, status: 'applied' },
      { speaker_id: ids[1], wave: 2, status: 'failed', code: 'listen_failed' },
      { speaker_id: ids[2], wave: 3, status: 'skipped' },
      { speaker_id: ids[3], wave: 4, status: 'skipped' },
    ]);
    expect(speakerResults(failed)[2]!.error).toContain('deploy_wave_max_failures is 0');
    expect((await plane.speaker(ids[2]!)).last_apply).not.toMatchObject({ job_id: failed.id });
    await block(false);
    const retry = await plane.ended(await apply({ retry_of: failed.id }));
    expect(speakerResults(retry)).toMatchObject([
      { speaker_id: ids[1] },
      { speaker_id: ids[2] },
      { speaker_id: ids[3] },
    ]);
    expect(await runs()).toEqual(ids.map(() => revision));
  });

  test('goes on when no more failed than may', async () => {
    await plane.run((tx) => changeSettings(tx, { deploy_wave_size: 1, deploy_wave_max_failures: 1 }));
    const failed = await plane.ended(await apply({ revision_id: await nextRevision() }));
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'apply_failed' } });
    expect(speakerResults(failed).map(({ status }) => status)).toEqual([
      'applied',
      'failed',
      'applied',
      'applied',
    ]);
  });

  test('reports in which wave it is, and stops between two when applies are frozen', async () => {
    await block(false);
    await plane.run((tx) => changeSettings(tx, { deploy_wave_size: 1 }));
    const before = await runs();
    const revision = await nextRevision();
    // Nobody holds the third speaker for a while, so that its wave lasts.
    const sql = `UPDATE speaker_lease SET holder = gen_random_uuid(), expires_at = now() + $1::interval WHERE speaker_id = $2`;
    await plane.database.admin(sql, ['1 hour', ids[2]!]);
    const job = await apply({ revision_id: revision });
    await inPhase(plane, job, 'wave 3 of 4');
    await plane.database.admin(`UPDATE speaker_lease SET expires_at = now() WHERE speaker_id = $1`, [
      ids[2]!,
    ]);
    // As soon as it has begun no freeze keeps it from coming to its end.
    const begun = `SELECT FROM speaker_apply WHERE job_id = $1 AND wave = 3 AND state <> 'queued'`;
    await expect
      .poll(async () => (await plane.database.admin(begun, [job.id])).length, {
        timeout: 60_000,
        interval: 5,
      })
      .toBe(1);
    await plane.run((tx) => changeSettings(tx, { deploy_freeze: true }));
    const ended = await plane.ended(job);
    const statuses = speakerResults(ended).map(({ status }) => status);
    expect(statuses.slice(0, 3)).toEqual(['applied', 'applied', 'applied']);
    // The freeze comes before the last wave or, where the machine is quick, behind it.
    expect(statuses[3]).toBe(ended.state === 'failed' ? 'skipped' : 'applied');
    if (ended.state === 'failed') {
      expect(ended.error?.code).toBe('deploy_frozen');
      expect((await runs())[3]).toBe(before[3]);
    }
  });
});
