import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApplyRequest, PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { SessionOnSpeaker } from '../../../src/api/speakers/peers.ts';
import { SETTINGS } from '../../../src/api/operation/settings.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import { deletePeer, getPeer } from '../../../src/store/speakers/peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
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
  const started: Bird[] = [];

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
    started.push(well, sick);
    await plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);
    await plane.succeeded(await plane.apply(await module.nextRevision()));
    await settle();
  });
  afterAll(async () => {
    await plane?.close();
    await Promise.all(started.map((daemon) => daemon.stop()));
  });

  const session = async (name: string): Promise<SessionOnSpeaker> =>
    (await plane.run((tx) => getPeer(tx, ids.get(name)!))).resource.session_on_speakers[0]!;
  const untilShown = (name: string, check: (session: SessionOnSpeaker) => boolean) =>
    untilSession(name, () => session(name), check);
  /** Waits until both hold everything. */
  async function settle(): Promise<void> {
    for (const name of ids.keys())
      await untilShown(
        name,
        ({ state, reverted, routes_exported: n }) =>
          state === 'established' && reverted === null && n === module.size,
      );
    await Promise.all([well, sick].map((daemon) => daemon.waitRoutes(module.size)));
  }
  const peersOf = (job: Job): Record<string, PeerApplyResult> =>
    Object.fromEntries(speakerResults(job)[0]!.peers.map((peer) => [peer.name, peer]));
  const request = (body: ApplyRequest): Promise<Job> =>
    plane.run((tx) => requestApply(tx, plane.context, body));

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

  /** Puts another one in the place of the sick one: to that the speaker connects again without long pauses. It takes so many routes. */
  async function another(importLimit = module.size): Promise<number> {
    await plane.run((tx) => deletePeer(tx, ids.get('sick')!, null));
    sick = await bird('sick');
    started.push(sick);
    await settle();
    await limit(importLimit);
    return importLimit;
  }
  /** Has the sick one take so many routes, and no more. */
  const limit = (importLimit: number | undefined): Promise<void> =>
    sick.configure({ neighbors: [neighbor(importLimit === undefined ? {} : { importLimit })] });
  /** Waits until it has come back to so many routes of before. @returns since when it is up */
  const untilBack = async (routes: number): Promise<string> => {
    const { since } = await untilShown(
      'sick',
      ({ state, reverted, routes_exported: n }) =>
        state === 'established' && reverted !== null && n === routes,
    );
    await sick.waitRoutes(routes);
    return since;
  };
  /** Applies the next revision, and says whether the peer kept its session through that. */
  async function applyNext(): Promise<Record<string, PeerApplyResult>> {
    const job = await plane.ended(await plane.apply(await module.nextRevision()));
    expect(job.state).toBe('succeeded');
    return peersOf(job);
  }

  test('and was away already is tried three seconds after it is back, by a retry after its limit was raised', async () => {
    const held = await another();
    expect(await applyNext()).toMatchObject({ sick: { status: 'reverted', notification: { subcode: 1 } } });
    await untilBack(held);
    // Before the command: BIRD enables it again when it reads another configuration of it.
    await limit(undefined);
    await sick.command('disable n1');
    await untilShown('sick', ({ state }) => state !== 'established');
    const failed = await lastApply();
    const retry = await plane.ended(await request({ retry_of: failed }));
    expect(peersOf(retry).sick).toMatchObject({
      status: 'reverted',
      error: expect.stringContaining('it is down, and is sent what it held before') as string,
    });
    expect(peersOf(retry).sick!.error).toContain('three seconds after it is back');
    await sick.command('enable n1');
    await settle();
  });

  test('and is up is tried at once by a retry, and by an apply of what its speaker runs, whatever it failed on', async () => {
    for (const again of [async () => request({ retry_of: await lastApply() }), () => request({})]) {
      const held = await another();
      expect(await applyNext()).toMatchObject({ sick: { status: 'reverted' } });
      await untilBack(held);
      // A revision that it is not tried on: its failure on the one before is too fresh.
      expect(await applyNext()).toMatchObject({
        sick: { status: 'reverted', error: expect.stringContaining('retry the apply') as string },
      });
      await limit(undefined);
      expect(peersOf(await plane.ended(await again()))).toMatchObject({ sick: { status: 'applied' } });
      await settle();
    }
  });

  test('and takes no more routes keeps those of before, whatever is applied and however long it was away', async () => {
    const held = await another();
    expect(await applyNext()).toMatchObject({ sick: { status: 'reverted' } });
    // As if it had been away for long, which is no reason to try it as soon as it is back.
    await passed(held, "tried_at = tried_at - interval '1 day'");
    // A pause has passed, and a try costs it its session: once more, and then no more.
    await plane.database.admin(
      "UPDATE reverted_peer SET returned_at = now() - interval '2 days', outage_seconds = 60, tries = 3",
    );
    await plane.ended(await plane.apply(await module.nextRevision()));
    await waitFor(async () => (await record()).tries === 4, { what: 'another try' });
    await passed(held, "returned_at = now() - interval '30 days', outage_seconds = 60");
    await limit(undefined);
    expect(peersOf(await plane.ended(await request({})))).toMatchObject({ sick: { status: 'applied' } });
    await settle();
  });

  /** Waits until it is back, and has two more revisions applied, which are not tried on it. @param set what becomes of its record then */
  async function passed(held: number, set: string): Promise<void> {
    const { tries } = await record();
    const since = await untilBack(held);
    await waitFor(async () => (await record()).returned_at !== null, { what: 'its return to be noted' });
    await plane.database.admin(`UPDATE reverted_peer SET ${set}`);
    for (let round = 0; round < 2; round++)
      expect(await applyNext()).toMatchObject({ sick: { status: 'reverted', announced: held } });
    expect(await session('sick')).toMatchObject({ state: 'established', since });
    expect(await record()).toMatchObject({ tries });
  }
  const record = async (): Promise<{ readonly tries: number; readonly returned_at: string | null }> => {
    const [row] = await plane.database.admin<{ tries: number; returned_at: string | null }>(
      'SELECT tries, returned_at FROM reverted_peer',
    );
    return row!;
  };
  const lastApply = async (): Promise<string> => {
    const [row] = await plane.database.admin<{ id: string }>(
      "SELECT id FROM job WHERE type = 'apply' AND input ->> 'revision_id' IS NOT NULL ORDER BY sequence DESC LIMIT 1",
    );
    return row!.id;
  };

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
