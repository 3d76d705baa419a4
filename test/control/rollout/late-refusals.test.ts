import { afterAll, beforeAll, expect, test } from 'vitest';
import { BgpError, CeaseSubcode, ErrorCode, encodeNotification } from '../../../src/bgp/notification.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { listRevertedPeers } from '../../../src/store/rollout/reverted-peers.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { listenRaw, type RawListener } from '../../speakers/builtin/raw-peer.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule } from './rollout.ts';

/** Longer than it takes to end an apply that another waits for. */
const CALM = 20_000;

let plane: Plane;
let module: GrowingModule;
let speakerId: string;
const routers: RawListener[] = [];

beforeAll(async () => {
  plane = await startPlane();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  module = await GrowingModule.create(plane);
  speakerId = (await plane.addSpeaker('edge')).id;
  for (const name of ['late', 'well']) {
    const address = loopbackAddress();
    const router = await listenRaw(address);
    routers.push(router);
    const peer = { name, address, port: router.port, remote_asn: 65_001, speaker_ids: [speakerId] };
    await plane.run((tx) => createPeer(tx, plane.context, peer));
  }
  await plane.hold(undefined, CALM);
});
afterAll(async () => {
  await plane?.close();
  for (const router of routers) router.close();
});

test('a router that refuses the routes of a hurried apply later goes back to what it held before that', async () => {
  const before = await module.nextRevision();
  await plane.succeeded(await plane.apply(before));
  for (const { calls } of routers)
    await (await waitFor(() => calls[0], { what: 'the speaker to call' })).establish();
  await waitFor(
    async () => {
      const sessions = (await plane.speaker(speakerId)).live?.sessions ?? [];
      return sessions.length === 2 && sessions.every(({ routes_exported: count }) => count === 1);
    },
    { what: 'both sessions to be reported' },
  );
  const [tooMany, urgent] = [await module.nextRevision(), await module.nextRevision()];
  const hurried = await plane.apply(tooMany);
  await waitFor(() => routers.every(({ calls }) => calls[0]!.routes.size === 2), { what: 'the routes' });
  await plane.apply(urgent);
  await plane.succeeded(hurried);

  const { socket } = routers[0]!.calls[0]!;
  socket.end(encodeNotification(new BgpError(ErrorCode.cease, CeaseSubcode.maximumPrefixes)));
  const [reverted] = await waitFor(
    async () => {
      const known = await plane.run((tx) => listRevertedPeers(tx, speakerId));
      return known.length > 0 && known;
    },
    { what: 'the router to be put back' },
  );
  expect(reverted).toMatchObject({ revision_id: before, notification: { code: 6, subcode: 1 } });
  const call = await waitFor(() => routers[0]!.calls[1], { what: 'the speaker to call again' });
  await call.establish();
  await waitFor(() => call.routes.size === 1, { what: 'the routes of before' });
  // It may be put back before the urgent apply begins, or by that.
  await waitFor(() => routers[1]!.calls[0]!.routes.size === 3, { what: 'the urgent routes at the other' });
}, 240_000);
