import { afterEach, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import { ProvisionalApplyError, tryOut } from '../../../src/speakers/verification/try-out.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import type { PeerModel, PlainDriver, RoutesModel, SpeakerDriver } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { requireDaemon, type Program } from '../../daemons/programs.ts';
import { never, routesModel, sessionOf, speakerModel, tableOf } from '../../speakers/builtin/models.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startWorld as startBirds } from '../../speakers/bird/world.ts';
import { startWorld as startFrrs } from '../../speakers/frr/world.ts';
import { startWorld as startGobgps } from '../../speakers/gobgp/world.ts';
import { startWorld as startOpenbgpds } from '../../speakers/openbgpd/world.ts';

interface World {
  driver(): PlainDriver | SpeakerDriver;
  peer(neighbor?: Partial<Neighbor>): Promise<Bird>;
  peerOf(peer: Bird, changes?: Partial<PeerModel>): PeerModel;
  stop(): Promise<void>;
}

const DAEMONS: readonly {
  name: string;
  program: Program;
  start: () => Promise<World>;
  says: RegExp | null;
}[] = [
  { name: 'BIRD', program: 'bird', start: startBirds, says: /Received: Maximum number of prefixes/ },
  { name: 'FRR', program: 'frr-bgpd', start: startFrrs, says: /Cease\/Maximum Number of Prefixes/ },
  { name: 'OpenBGPD', program: 'openbgpd', start: startOpenbgpds, says: /Cease, received max-prefix/ },
  // It keeps no reason.
  { name: 'GoBGP', program: 'gobgpd', start: startGobgps, says: null },
];
const before = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1'] };
const after = { ...before, '13.0.0.0/8': ['65000:1'] };
const CALM = 4_500;

/** Daemons with one table for all peers of a speaker. */
describe.each(DAEMONS)('a $name of which one peer has too many routes', ({ program, start, says }) => {
  let world: World | undefined;
  afterEach(() => world?.stop());

  /** @returns what became of an apply, by the names of two peers of which one takes two routes only */
  async function applyToTwo(maxFailedPercent: number): Promise<{
    readonly well: Bird;
    readonly error: unknown;
    readonly peers: Readonly<Record<string, PeerApplyResult>>;
  }> {
    world = await start();
    const plain = world.driver();
    const driver = 'confirm' in plain ? plain : new ProvisionalDriver(plain);
    const [well, sick] = [await world.peer(), await world.peer({ importLimit: 2 })];
    const model = speakerModel([
      world.peerOf(well, { id: 'well', name: 'well' }),
      world.peerOf(sick, { id: 'sick', name: 'sick' }),
    ]);
    const version = (prefixes: Record<string, string[]>, more: Partial<RoutesModel> = {}): RoutesVersion =>
      new RoutesVersion(routesModel(tableOf(prefixes), more));
    await driver.configure(model);
    await driver.apply(version(before).model, never);
    await Promise.all([well.waitRoutes(2), sick.waitRoutes(2)]);
    for (const id of ['well', 'sick'])
      await waitFor(async () => (await sessionOf(driver, id)).routesExported === 2, {
        what: `${id} to be reported`,
      });
    const end = await tryOut({
      ...{ driver, model, before: version(before), routes: version(after, { confirmSeconds: 14 }) },
      ...{ status: () => driver.status(), maxFailedPercent, calm: CALM, signal: never },
      onRevert: () => Promise.reject(new Error('There is nothing to put back.')),
      isAwaited: () => Promise.resolve(false),
    }).catch((error: unknown) => error);
    const error = end instanceof Error ? end : null;
    const peers =
      end instanceof ProvisionalApplyError ? end.peers : (end as { peers?: PeerApplyResult[] }).peers;
    if (peers === undefined) throw new Error('The apply said nothing of peers', { cause: error });
    return { well, error, peers: Object.fromEntries(peers.map((peer) => [peer.name, peer])) };
  }

  test.skipIf(requireDaemon(program) === null)(
    'keeps the new routes for the others, and names that peer with what it said',
    async () => {
      const { well, error, peers } = await applyToTwo(50);
      expect(error).toBeNull();
      expect(peers).toMatchObject({
        well: { status: 'applied', announced: 3, was_up: true },
        sick: { status: 'failed', was_up: true, error: expect.stringContaining('new ones again') as string },
      });
      if (says !== null) {
        expect(peers.sick).toMatchObject({
          notification: {
            ...{ direction: 'received', code: 6, subcode: 1 },
            name: 'Cease, Maximum Number of Prefixes Reached',
          },
        });
        expect(peers.sick!.error).toMatch(says);
      }
      expect(await well.routeCount()).toBe(3);
    },
  );

  test.skipIf(requireDaemon(program) === null)('goes back as a whole when those were too many', async () => {
    const { well, error, peers } = await applyToTwo(49);
    expect(error).toMatchObject({
      code: 'verification_failed',
      message: expect.stringContaining('That is 1 of 2 peers that were well') as string,
    });
    expect(peers).toMatchObject({ well: { status: 'undone' }, sick: { status: 'failed' } });
    await well.waitRoutes(2);
  });
});
