import { afterAll, beforeAll, expect, test } from 'vitest';
import { BgpError, CeaseSubcode, ErrorCode, encodeNotification } from '../../../src/bgp/notification.ts';
import { listRevertedPeers, type KnownReverted } from '../../../src/store/rollout/reverted-peers.ts';
import { waitFor } from '../../daemons/wait.ts';
import type { RawPeer } from '../../speakers/builtin/raw-peer.ts';
import { startRawRouters, type RawRouters } from './raw-routers.ts';

/** Longer than it takes to end an apply that another waits for. */
const CALM = 20_000;

let scene: RawRouters;
beforeAll(async () => {
  scene = await startRawRouters(['late', 'well'], CALM);
});
afterAll(() => scene?.close());

test('a router that refuses the routes of a hurried apply later goes back to what it held before that', async () => {
  const { plane, module, speakerId, routers } = scene;
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

  const refuse = ({ socket }: RawPeer): void => {
    socket.end(encodeNotification(new BgpError(ErrorCode.cease, CeaseSubcode.maximumPrefixes)));
  };
  const reverted = async (isMeant: (peer: KnownReverted) => boolean): Promise<KnownReverted> =>
    waitFor(async () => (await plane.run((tx) => listRevertedPeers(tx, speakerId))).find(isMeant), {
      what: 'the router to be put back',
    });
  /** The session that the speaker calls it for next. */
  let calls = 0;
  const called = async (): Promise<RawPeer> => {
    calls++;
    const call = await waitFor(() => routers[0]!.calls[calls], { what: 'the speaker to call again' });
    await call.establish();
    return call;
  };
  refuse(routers[0]!.calls[0]!);
  // Where the urgent routes were sent already, it may have refused these: it is put back to those of the hurried apply, and refuses them as well.
  if ((await reverted(() => true)).revision_id === tooMany) {
    const call = await called();
    await waitFor(() => call.routes.size === 2, { what: 'the routes of the hurried apply' });
    refuse(call);
  }
  expect(await reverted(({ revision_id: id }) => id !== tooMany)).toMatchObject({
    ...{ revision_id: before, notification: { code: 6, subcode: 1 } },
  });
  const call = await called();
  await waitFor(() => call.routes.size === 1, { what: 'the routes of before' });
  // It may be put back before the urgent apply begins, or by that.
  await waitFor(() => routers[1]!.calls[0]!.routes.size === 3, { what: 'the urgent routes at the other' });
});
