// Applies that follow each other closely, and a router that bears the first of them only: it is put back step by step.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BgpError, CeaseSubcode, ErrorCode, encodeNotification } from '../../../src/bgp/notification.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import {
  addRevertedPeers,
  type KnownReverted,
  listRevertedPeers,
} from '../../../src/store/rollout/reverted-peers.ts';
import { waitFor } from '../../daemons/wait.ts';
import type { RawListener, RawPeer } from '../../speakers/builtin/raw-peer.ts';
import type { Plane } from '../plane.ts';
import { startRawRouters, type RawRouters } from './raw-routers.ts';
import { type GrowingModule, speakerResults } from './rollout.ts';

/** Longer than all that a test does between two applies. */
const CALM = 15_000;

let scene: RawRouters;
let plane: Plane;
let module: GrowingModule;
let speakerId: string;
let peerId: string;
let routers: readonly RawListener[];

beforeAll(async () => {
  scene = await startRawRouters(['small', 'well'], CALM);
  ({ plane, module, speakerId, routers } = scene);
  peerId = scene.peerIds[0]!;
});
afterAll(() => scene?.close());

/** The session that the router gets when it is called for so many times. */
async function session(router: RawListener, number: number): Promise<RawPeer> {
  const call = await waitFor(() => router.calls[number - 1], { what: `call ${number}` });
  await call.establish();
  return call;
}

const holds = (call: RawPeer, routes: number): Promise<unknown> =>
  waitFor(() => call.routes.size === routes, { what: `${routes} routes` });

function refuse({ socket }: RawPeer): void {
  socket.end(encodeNotification(new BgpError(ErrorCode.cease, CeaseSubcode.maximumPrefixes)));
}

const putBack = (isMeant: (known: KnownReverted) => boolean): Promise<KnownReverted> =>
  waitFor(
    async () => {
      const known = await plane.run((tx) => listRevertedPeers(tx, speakerId));
      return known.find((one) => one.peer_id === peerId && isMeant(one));
    },
    { what: 'the router to be put back' },
  );

test('a router that refuses an apply goes back to that of a moment before, then to what it had before both, and comes back when somebody asks', async () => {
  const [small, well] = routers as [RawListener, RawListener];
  const borne = await module.nextRevision();
  await plane.succeeded(await plane.apply(borne));
  const [first, other] = [await session(small, 1), await session(well, 1)];
  await holds(first, 1);
  await holds(other, 1);
  await waitFor(
    async () => {
      const sessions = (await plane.speaker(speakerId)).live?.sessions ?? [];
      return sessions.length === 2 && sessions.every(({ routes_exported: count }) => count === 1);
    },
    { what: 'both sessions to be reported' },
  );
  const [second, third, fourth] = [
    await module.nextRevision(),
    await module.nextRevision(),
    await module.nextRevision(),
  ];
  const hurried = await plane.apply(second);
  await holds(first, 2);
  const next = await plane.apply(third);
  expect(speakerResults(await plane.ended(hurried))).toMatchObject([{ status: 'applied' }]);
  await holds(first, 3);

  refuse(first);
  const before = await putBack(() => true);
  expect(before).toMatchObject({ revision_id: second, tried_revision_id: third, narrowed: false });
  const again = await session(small, 2);
  await holds(again, 2);

  // It did not bear that either, and was slow to say so.
  refuse(again);
  const last = await plane.apply(fourth);
  expect(speakerResults(await plane.ended(next))).toMatchObject([{ status: 'partial' }]);
  const further = await putBack(({ revision_id: id }) => id !== second);
  expect(further).toMatchObject({
    ...{ revision_id: borne, tried_revision_id: second, tried_routes: 2, narrowed: true },
    notification: { code: 6, subcode: 1 },
  });
  const latest = await session(small, 3);
  await holds(latest, 1);
  await holds(other, 4);

  // Its limit is raised. A refresh by hand makes a revision with the same routes, and somebody applies that.
  const { revision_id: same } = await plane.succeeded(await plane.refresh(module.id));
  expect((await plane.revision(String(same))).content_hash).toBe((await plane.revision(fourth)).content_hash);
  const asked = await plane.apply(String(same));
  await plane.ended(last);
  await holds(latest, 4);
  expect(speakerResults(await plane.ended(asked))).toMatchObject([{ error: null }]);
  expect(await plane.run((tx) => listRevertedPeers(tx, speakerId))).toEqual([]);
});

test('a retry goes to a speaker of which a peer has refused after the apply had ended well', async () => {
  const revision = await module.nextRevision();
  const job = await plane.apply(revision);
  await holds(routers[0]!.calls[2]!, 5);
  const retry = () => plane.run((tx) => requestApply(tx, plane.context, { retry_of: job.id }));
  expect(speakerResults(await plane.ended(job))).toMatchObject([{ status: 'applied' }]);
  await expect(retry()).rejects.toThrow('nothing to retry');
  await plane.run((tx) =>
    addRevertedPeers(tx, speakerId, [
      {
        ...{ peer_id: peerId, revision_id: null, tried_revision_id: revision, tried_routes: 5 },
        ...{ error: 'refused', notification: null, retry: false, requested: false, narrowed: false },
      },
    ]),
  );
  await plane.ended(await retry());
  expect(await plane.run((tx) => listRevertedPeers(tx, speakerId))).toEqual([]);
});

test('a router that was put back before a restart is put back further where it refuses that, too', async () => {
  const [small, well] = routers as [RawListener, RawListener];
  const borne = (await plane.speaker(speakerId)).applied_revision_id!;
  const call = small.calls.at(-1)!;
  const size = call.routes.size;
  const [second, third] = [await module.nextRevision(), await module.nextRevision()];
  const hurried = await plane.apply(second);
  await holds(call, size + 1);
  const next = await plane.apply(third);
  expect(speakerResults(await plane.ended(hurried))).toMatchObject([{ status: 'applied' }]);
  await holds(call, size + 2);
  refuse(call);
  await putBack(({ revision_id: id }) => id === second);
  await plane.ended(next);
  const known = new Set([...small.calls, ...well.calls]);
  await scene.restart();

  const fresh = async (router: RawListener): Promise<RawPeer> => {
    const found = await waitFor(() => router.calls.find((one) => !known.has(one) && !one.closed), {
      what: 'another call',
    });
    known.add(found);
    await found.establish();
    return found;
  };
  const [again] = await Promise.all([fresh(small), fresh(well)]);
  await holds(again, size + 1);
  refuse(again);
  expect(await putBack(({ revision_id: id }) => id !== second)).toMatchObject({
    ...{ revision_id: borne, tried_revision_id: second, tried_routes: size + 1, narrowed: true },
  });
  const latest = await fresh(small);
  await holds(latest, size);
});
