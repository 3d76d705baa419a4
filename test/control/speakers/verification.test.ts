import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { listenRaw, type RawListener } from '../../speakers/builtin/raw-peer.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from '../rollout/rollout.ts';

let plane: Plane;
let router: RawListener;
let module: GrowingModule;
let strict: string;
let other: string;

/** A router that ends the session when it has more than two routes, and opens none any more. */
beforeAll(async () => {
  plane = await startPlane();
  const address = loopbackAddress();
  router = await listenRaw(address);
  await plane.run((tx) => changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: 6 }));
  module = await GrowingModule.create(plane);
  [strict, other] = [(await plane.addSpeaker('strict')).id, (await plane.addSpeaker('other')).id];
  const peer = { name: 'router', address, port: router.port, remote_asn: 65_001, speaker_ids: [strict] };
  await plane.run((tx) => createPeer(tx, plane.context, peer));
  await plane.hold();
  await plane.succeeded(await plane.apply(await nextRevision()));
  const call = await waitFor(() => router.calls[0], { what: 'the speaker to call' });
  await call.establish();
  call.socket.on('data', () => call.routes.size > 2 && call.socket.destroy());
  await established();
});
afterAll(async () => {
  await plane?.close();
  router?.close();
});

const nextRevision = (): Promise<string> => module.nextRevision();

const established = (): Promise<unknown> =>
  waitFor(async () => (await plane.speaker(strict)).live?.sessions[0]?.state === 'established', {
    what: 'the session to be reported',
  });

test('an apply that makes a router end its session is taken back; a canary keeps it from all others', async () => {
  const good = await nextRevision();
  await plane.succeeded(await plane.apply(good));
  expect(router.calls[0]!.routes.size).toBe(2);
  await plane.run((tx) => changeSettings(tx, { deploy_canary_speaker_ids: [strict] }));
  const before = router.calls.length;
  const job = await plane.ended(await plane.apply(await nextRevision()));
  expect(job).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'canary_failed' } });
  expect(speakerResults(job)).toMatchObject([
    { speaker_id: strict, wave: 0, status: 'failed', code: 'verification_failed', announced: 0 },
    { speaker_id: other, wave: 1, status: 'skipped', announced: 0 },
  ]);
  expect(job.error?.detail).toContain(`${(await plane.speaker(strict)).name}: `);
  expect(speakerResults(job)[0]!.error).toMatch(
    /the session with router went down.*The speaker runs what it ran before/,
  );
  for (const id of [strict, other]) expect((await plane.speaker(id)).applied_revision_id).toBe(good);
  expect((await plane.speaker(strict)).last_apply).toMatchObject({ status: 'failed', job_id: job.id });
  // What it receives when it lets the speaker in again is what was good.
  const call = await waitFor(() => router.calls[before], { what: 'the speaker to call again' });
  await call.establish();
  await waitFor(() => call.routes.size === 2, { what: 'the routes of before' });
  await established();
});

test.each([0, 3_600])(
  'a canary without a session shows nothing, however long it is watched (%i s)',
  async (seconds) => {
    await plane.run((tx) =>
      changeSettings(tx, { deploy_canary_speaker_ids: [other], deploy_canary_soak_seconds: seconds }),
    );
    const before = (await plane.speaker(other)).applied_revision_id;
    const job = await plane.ended(await plane.apply());
    expect(job).toMatchObject({ state: 'failed', error: { code: 'canary_failed' } });
    expect(job.error?.detail).toContain('No canary has a session that is up');
    expect(speakerResults(job)).toMatchObject([
      { speaker_id: other, status: 'undone' },
      { speaker_id: strict, status: 'skipped' },
    ]);
    expect((await plane.speaker(other)).applied_revision_id).toBe(before);
  },
);
