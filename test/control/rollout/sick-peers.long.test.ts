import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { SessionOnSpeaker } from '../../../src/api/speakers/peers.ts';
import { SETTINGS } from '../../../src/api/operation/settings.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { startFrr, type Frr } from '../../daemons/frr/frr.ts';
import type { Daemon, Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { untilSession } from '../../reported-session.ts';
import { startPlane, type Holding, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('frr-bgpd') === null;
const NEXT_HOP = '192.0.2.10';
const LIMITED = [
  'router bgp 64497',
  ' address-family ipv4 unicast',
  '  neighbor 127.0.0.1 maximum-prefix 3 restart 1',
].join('\n');
const MAXIMUM = 'Cease, Maximum Number of Prefixes Reached';

/** One speaker with a BIRD that is well throughout, a BIRD and an FRR that take so many routes and no more. */
describe.skipIf(lacks)('a peer that does not bear new routes', () => {
  let plane: Plane;
  let holding: Holding;
  let module: GrowingModule;
  let speakerId: string;
  let well: Bird;
  let sick: Bird;
  let frr: Frr;
  const ids = new Map<string, string>();

  const neighbor = (more: Partial<Neighbor> = {}): Neighbor => ({
    ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true },
    ...more,
  });
  const bird = async (more: Partial<Neighbor> = {}): Promise<Bird> => {
    const address = loopbackAddress();
    const listen = { address, port: await freePort(address) };
    return startBird({ listen, routerId: address, localAsn: 64496, neighbors: [neighbor(more)] });
  };

  beforeAll(async () => {
    plane = await startPlane();
    [well, sick] = [await bird(), await bird({ importLimit: 2 })];
    const address = loopbackAddress();
    frr = await startFrr({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 64497, neighbors: [neighbor()] },
      extraConfig: LIMITED,
    });
    await plane.run((tx) => changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: 20 }));
    module = await GrowingModule.create(plane);
    speakerId = (await plane.addSpeaker('edge')).id;
    for (const [name, daemon] of Object.entries({ well, sick, frr }) as [string, Daemon][]) {
      const body = { name, address: daemon.address, port: daemon.port, remote_asn: daemon.localAsn };
      const more = { next_hop_ipv4: NEXT_HOP, graceful_restart: true };
      ids.set(
        name,
        (await plane.run((tx) => createPeer(tx, plane.context, { ...body, ...more }))).resource.id,
      );
    }
    holding = await plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);
    await plane.succeeded(await plane.apply(await module.nextRevision()));
    await Promise.all([well, sick, frr].map((daemon) => daemon.waitRoutes(1)));
    await untilShown('well', ({ state }) => state === 'established');
    await plane.succeeded(await plane.apply(await module.nextRevision()));
    await Promise.all([well, sick, frr].map((daemon) => daemon.waitRoutes(2)));
  });
  afterAll(async () => {
    await plane?.close();
    await Promise.all([well, sick, frr].map((daemon) => daemon?.stop()));
  });

  const session = async (name: string): Promise<SessionOnSpeaker> =>
    (await plane.run((tx) => getPeer(tx, ids.get(name)!))).resource.session_on_speakers[0]!;
  /** Waits until the API says so of the peer's session. */
  const untilShown = (name: string, test: (session: SessionOnSpeaker) => boolean) =>
    untilSession(name, () => session(name), test);
  const peersOf = (job: Parameters<typeof speakerResults>[0]): Record<string, PeerApplyResult> =>
    Object.fromEntries(speakerResults(job)[0]!.peers.map((peer) => [peer.name, peer]));
  const prefixes = async (daemon: Daemon): Promise<string[]> =>
    (await daemon.routes()).map(({ prefix }) => prefix);

  test('is put back and named, with its NOTIFICATION; the others keep the new routes', async () => {
    const before = (await plane.speaker(speakerId)).applied_revision_id;
    const revision = await module.nextRevision();
    const updates = well.updates().length;
    const job = await plane.ended(await plane.apply(revision));
    expect(job).toMatchObject({ state: 'succeeded' });
    expect(speakerResults(job)).toMatchObject([
      { speaker_id: speakerId, status: 'partial', announced: 1, withdrawn: 0 },
    ]);
    expect(plane.events.findLast(({ event }) => event === 'apply_ended')).toMatchObject({
      level: 'warn',
      fields: { outcome: 'partial' },
    });
    expect(peersOf(job)).toMatchObject({
      sick: {
        ...{ status: 'reverted', was_up: true, address: sick.address, expected: 2 },
        notification: { direction: 'received', code: 6, subcode: 1, name: MAXIMUM },
      },
      well: { status: 'applied', announced: 3, expected: 3, error: null, notification: null },
      frr: { status: 'applied', announced: 3 },
    });
    expect(await plane.speaker(speakerId)).toMatchObject({
      applied_revision_id: revision,
      last_apply: { status: 'partial', error: expect.stringContaining('sick') as string },
    });
    await well.waitRoutes(3);
    expect(well.withdrawnSince(updates)).toEqual([]);
    // When it comes back it gets what it held before, and stays up.
    const seen = await untilShown(
      'sick',
      ({ state, routes_exported: n }) => state === 'established' && n === 2,
    );
    // Why it is reverted stands there; the session itself is well.
    expect(seen.last_error).toBeNull();
    expect(seen.reverted).toMatchObject({ revision_id: before, tried_revision_id: revision });
    expect(seen.reverted?.notification).toMatchObject({ code: 6, subcode: 1 });
    expect(seen.reverted?.error).toContain(MAXIMUM);
    await sick.waitRoutes(2);
  });

  test('goes on with what it held under another process', async () => {
    await holding.close();
    holding = await plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);
    await untilShown('well', ({ state, routes_exported: n }) => state === 'established' && n === 3);
    await untilShown('sick', ({ state, routes_exported: n }) => state === 'established' && n === 2);
    expect(await prefixes(sick)).toEqual(['11.0.0.0/24', '11.1.0.0/24']);
    expect((await prefixes(well)).length).toBe(3);
  });

  test('is tried again by a retry of the apply, and by no change of another peer', async () => {
    await sick.configure({ neighbors: [neighbor()] });
    await untilShown('sick', ({ state }) => state === 'established');
    await plane.run((tx) => changePeer(tx, plane.context, ids.get('well')!, { description: 'core' }, null));
    await plane.idle();
    expect((await session('sick')).reverted).not.toBeNull();
    const [last] = await plane.database.admin<{ id: string }>(
      "SELECT id FROM job WHERE type = 'apply' AND input ->> 'revision_id' IS NOT NULL ORDER BY sequence DESC LIMIT 1",
    );
    const retry = await plane.run((tx) => requestApply(tx, plane.context, { retry_of: last!.id }));
    expect(speakerResults(await plane.ended(retry))).toMatchObject([
      { speaker_id: speakerId, status: 'unchanged' },
    ]);
    await sick.waitRoutes(3);
    await untilShown('sick', ({ reverted }) => reverted === null);
  });

  test('an FRR that is beyond its limit says how much it takes, and so does the apply', async () => {
    // It counts before it adds, and so takes one more.
    await module.nextRevision();
    const revision = await module.nextRevision();
    const job = await plane.ended(await plane.apply(revision));
    expect(speakerResults(job)).toMatchObject([{ status: 'partial' }]);
    expect(peersOf(job)).toMatchObject({
      frr: {
        status: 'reverted',
        notification: { code: 6, subcode: 1, text: 'the limit is 3 IPv4 prefixes' },
      },
      sick: { status: 'applied', announced: 5 },
      well: { status: 'applied', announced: 5 },
    });
  });

  test('keeps its session when more comes soon, and is tried again after a pause, which grows', async () => {
    const tries = () =>
      plane.database.admin<{ tries: number }>('SELECT tries FROM reverted_peer WHERE peer_id = $1', [
        ids.get('sick'),
      ]);
    const isBack = ({ state, reverted }: SessionOnSpeaker): boolean =>
      state === 'established' && reverted !== null;
    const pass = () =>
      plane.database.admin(
        "UPDATE reverted_peer SET returned_at = now() - interval '16 min', outage_seconds = 60",
      );
    await sick.configure({ neighbors: [neighbor({ importLimit: 5 })] });
    await sick.waitRoutes(5);
    await plane.ended(await plane.apply(await module.nextRevision()));
    const { since } = await untilShown('sick', isBack);
    await plane.ended(await plane.apply(await module.nextRevision()));
    await well.waitRoutes(7);
    expect(await session('sick')).toMatchObject({ state: 'established', since });
    expect(await tries()).toEqual([{ tries: 1 }]);
    await pass();
    await waitFor(async () => (await tries())[0]?.tries === 2, { what: 'the peer to be tried again' });
    // After a second try so much is not enough.
    const { since: later } = await untilShown(
      'sick',
      (speakerResults) => isBack(speakerResults) && speakerResults.since !== since,
    );
    await pass();
    await plane.ended(await plane.apply(await module.nextRevision()));
    expect(await session('sick')).toMatchObject({ state: 'established', since: later });
    expect(await tries()).toEqual([{ tries: 2 }]);
  });
});
