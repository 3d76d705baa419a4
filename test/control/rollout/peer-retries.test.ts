import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { SessionOnSpeaker } from '../../../src/api/speakers/peers.ts';
import { SETTINGS } from '../../../src/api/operation/settings.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { untilSession } from '../../reported-session.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

/** So long that nothing here can have waited for the end of it. */
const CONFIRM_SECONDS = 600;

/** One speaker with two BIRDs that are well throughout, and one that goes away, or takes so many routes and no more. */
describe.skipIf(requireDaemon('bird') === null)('a peer that fails on an apply', () => {
  let plane: Plane;
  let module: GrowingModule;
  let well: Bird;
  let sick: Bird;
  const ids = new Map<string, string>();

  const neighbor = (more: Partial<Neighbor> = {}): Neighbor => ({
    ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true },
    ...more,
  });
  const bird = async (name: string): Promise<Bird> => {
    const address = loopbackAddress();
    const listen = { address, port: await freePort(address) };
    const daemon = await startBird({
      ...{ listen, routerId: address, localAsn: 64496, neighbors: [neighbor()] },
    });
    const body = { name, address, port: listen.port, remote_asn: 64496, graceful_restart: true };
    const made = await plane.run((tx) =>
      createPeer(tx, plane.context, { ...body, next_hop_ipv4: '192.0.2.10' }),
    );
    ids.set(name, made.resource.id);
    return daemon;
  };

  beforeAll(async () => {
    plane = await startPlane();
    await plane.run((tx) =>
      changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: CONFIRM_SECONDS }),
    );
    module = await GrowingModule.create(plane);
    await plane.addSpeaker('edge');
    [well, sick] = [await bird('well'), await bird('sick')];
    await plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);
    await plane.succeeded(await plane.apply(await module.nextRevision()));
    await settle();
  });
  afterAll(async () => {
    await plane?.close();
    await Promise.all([well, sick].map((daemon) => daemon?.stop()));
  });

  const session = async (name: string): Promise<SessionOnSpeaker> =>
    (await plane.run((tx) => getPeer(tx, ids.get(name)!))).resource.session_on_speakers[0]!;
  const untilTold = (name: string, check: (session: SessionOnSpeaker) => boolean) =>
    untilSession(name, () => session(name), check);
  /** Waits until both hold everything. */
  async function settle(): Promise<void> {
    for (const name of ids.keys())
      await untilTold(
        name,
        ({ state, reverted, routes_exported: n }) =>
          state === 'established' && reverted === null && n === module.size,
      );
    await Promise.all([well, sick].map((daemon) => daemon.waitRoutes(module.size)));
  }
  const peersOf = (job: Job): Record<string, PeerApplyResult> =>
    Object.fromEntries(speakerResults(job)[0]!.peers.map((peer) => [peer.name, peer]));

  test('and was shut down by its administrator holds up no later apply, and has all of it when it is back', async () => {
    const first = await plane.apply(await module.nextRevision());
    await sick.waitRoutes(module.size);
    await sick.command('disable n1');
    const second = await plane.apply(await module.nextRevision());
    await well.waitRoutes(module.size);
    expect(peersOf(await plane.ended(first))).toMatchObject({
      well: { status: 'applied' },
      sick: {
        ...{ status: 'reverted', was_up: true, notification: { code: 6, subcode: 2 } },
        error: expect.stringContaining('three seconds after it is back') as string,
      },
    });
    expect(peersOf(await plane.ended(second))).toMatchObject({ well: { status: 'applied' } });
    await sick.command('enable n1');
    await settle();
  });

  test('and has crashed holds up no later apply', async () => {
    const first = await plane.apply(await module.nextRevision());
    await sick.waitRoutes(module.size);
    sick.kill('SIGKILL');
    const second = await plane.apply(await module.nextRevision());
    await well.waitRoutes(module.size);
    expect(peersOf(await plane.ended(first))).toMatchObject({
      well: { status: 'applied' },
      sick: { status: 'reverted', was_up: true },
    });
    expect(peersOf(await plane.ended(second))).toMatchObject({ well: { status: 'applied' } });
  });
});
