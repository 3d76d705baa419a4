// One peer that a revision is too many routes for, at every daemon with one table for all peers.
import { afterEach, describe, expect, it } from 'vitest';
import { NO_ADDED } from '../../src/core/fitting/fit-table.ts';
import { ProvisionalDriver } from '../../src/speakers/provisional.ts';
import type {
  LimitedPeer,
  PeerModel,
  RoutesModel,
  SpeakerDriver,
  SpeakerModel,
} from '../../src/speakers/speaker.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import type { Neighbor } from '../daemons/daemon.ts';
import { requireDaemon, type Program } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld as startBirdWorld } from './bird/world.ts';
import {
  receivedBy,
  never,
  routesModel,
  sessionOf,
  speakerModel,
  tableOf,
  waitSession,
} from './builtin/models.ts';
import { startWorld as startFrrWorld } from './frr/world.ts';
import { startWorld as startGobgpWorld } from './gobgp/world.ts';
import { startWorld as startOpenbgpdWorld } from './openbgpd/world.ts';

interface Place {
  readonly driver: SpeakerDriver;
  /** Another that knows nothing of what the daemon runs, as after a restart of the service; absent: not tried. */
  readonly nextDriver?: () => Promise<SpeakerDriver>;
  readonly speaker?: Partial<SpeakerModel>;
  peer(neighbor: Partial<Neighbor>): Promise<Bird>;
  peerOf(bird: Bird, changes: Partial<PeerModel>): PeerModel;
  stop(): Promise<void>;
}

async function bird(birdRoutes: 'static' | 'feed'): Promise<Place> {
  const world = await startBirdWorld();
  const next = { nextDriver: () => Promise.resolve(world.driver()) };
  return {
    ...{ ...world, driver: world.driver(), speaker: { birdRoutes } },
    // Two feeds of one process would be in each other's way.
    ...(birdRoutes === 'static' ? next : {}),
  };
}

async function frr(): Promise<Place> {
  const world = await startFrrWorld();
  const nextDriver = async (): Promise<SpeakerDriver> => {
    await world.restartEngine();
    return new ProvisionalDriver(world.driver());
  };
  return { ...world, driver: new ProvisionalDriver(world.driver()), nextDriver };
}

async function gobgp(): Promise<Place> {
  const world = await startGobgpWorld();
  return { ...world, driver: world.driver(), nextDriver: () => Promise.resolve(world.newProcess()) };
}

async function openbgpd(): Promise<Place> {
  const world = await startOpenbgpdWorld();
  return { ...world, driver: world.driver(), nextDriver: () => Promise.resolve(world.driver()) };
}

type Routes = Readonly<Record<string, readonly string[]>>;

const FIRST: Routes = {
  '11.0.0.0/8': ['65000:1'],
  '12.0.0.0/8': ['65000:1'],
  '13.0.0.0/8': ['65000:1', '65000:2'],
  '2001:db8:1::/48': ['65000:1:2'],
};
const { '12.0.0.0/8': _, ...STAYING } = FIRST;
/** One less, one changed, three more. */
const SECOND: Routes = {
  ...{ ...STAYING, '13.0.0.0/8': ['65000:2'] },
  ...{ '21.0.0.0/8': ['65000:1'], '22.0.0.0/8': [], '2001:db8:2::/48': ['65000:1:2'] },
};
/** 11.0.0.0/8 and a neighbour of it, as one. */
const { '11.0.0.0/8': _alone, ...REST } = SECOND;
const MERGED: Routes = { ...REST, '10.0.0.0/7': ['65000:1'] };
const THIRD: Routes = { ...SECOND, '12.0.0.0/8': ['65000:1'] };
const LAST: Routes = { '11.0.0.0/8': ['65000:1'], '22.0.0.0/8': ['65000:2'] };

/** As many as the limit is then, and none that was there. */
const OTHERS: Routes = { '31.0.0.0/8': ['65000:1'], '32.0.0.0/8': ['65000:1'] };

const pick = (routes: Routes, ...prefixes: string[]): Routes =>
  Object.fromEntries(prefixes.map((prefix) => [prefix, routes[prefix]!]));

describe.each<[string, Program, () => Promise<Place>]>([
  ['BIRD', 'bird', () => bird('static')],
  ['a BIRD that is fed', 'bird', () => bird('feed')],
  ['FRR', 'frr-bgpd', frr],
  ['GoBGP', 'gobgpd', gobgp],
  ['OpenBGPD', 'openbgpd', openbgpd],
])('%s with a peer that the routes are too many for', (_name, daemon, start) => {
  describe.skipIf(requireDaemon(daemon) === null)('leaves that one what it has', () => {
    let place: Place;
    afterEach(() => place?.stop());

    const receives = (peer: Bird, routes: Routes): Promise<unknown> => {
      const sorted = (heard: Routes): string =>
        JSON.stringify(
          Object.entries(heard)
            .map(([prefix, labels]) => [prefix, labels.toSorted()])
            .sort(),
        );
      let last = '';
      return waitFor(
        async () => {
          last = sorted(await receivedBy(peer));
          return last === sorted(routes);
        },
        { what: `the peer to hear ${sorted(routes)}`, details: () => last },
      );
    };

    it('and gives the others the new routes, over a restart of the service, until it is to have all', async () => {
      place = await start();
      let { driver } = place;
      const both = { families: ['ipv4', 'ipv6'] as const };
      const [wide, narrow] = [await place.peer(both), await place.peer(both)];
      const model = (maxPrefixesOut: number | null): SpeakerModel =>
        speakerModel(
          [
            place.peerOf(wide, { id: 'wide', ...both }),
            place.peerOf(narrow, { ...{ id: 'narrow', name: 'Narrow', maxPrefixesOut }, ...both }),
          ],
          place.speaker,
        );
      const routesOf = (revisionId: string, routes: Routes, more: Partial<RoutesModel> = {}): RoutesModel =>
        routesModel(tableOf(routes), { revisionId, ...more });
      const hear = (all: Routes, some: Routes = all): Promise<unknown> =>
        Promise.all([receives(wide, all), receives(narrow, some)]);
      const says = (part: string | null): Promise<unknown> =>
        waitSession(
          driver,
          `the session to say ${part}`,
          ({ lastError }) => (part === null ? lastError === null : lastError?.includes(part) === true),
          'narrow',
        );

      await driver.configure(model(4));
      await driver.apply(routesOf('first', FIRST), never);
      await hear(FIRST);
      const { since } = await sessionOf(driver, 'narrow');

      let updates = narrow.updates().length;
      await driver.apply(routesOf('second', SECOND, { confirmSeconds: 60 }), never);
      await driver.confirm();
      await hear(SECOND, pick(SECOND, '11.0.0.0/8', '13.0.0.0/8', '2001:db8:1::/48'));
      await says('more than max_prefixes_out 4');
      expect(narrow.withdrawnSince(updates)).toEqual(['12.0.0.0/8']);

      await driver.apply(routesOf('merged', MERGED, { confirmSeconds: 60 }), never);
      await driver.confirm();
      await hear(MERGED, pick(MERGED, '10.0.0.0/7', '13.0.0.0/8', '2001:db8:1::/48'));
      await driver.apply(routesOf('second', SECOND, { confirmSeconds: 60 }), never);
      await driver.confirm();
      await hear(SECOND, pick(SECOND, '11.0.0.0/8', '13.0.0.0/8', '2001:db8:1::/48'));

      await driver.apply(routesOf('third', THIRD, { confirmSeconds: 60 }), never);
      await hear(THIRD, pick(THIRD, '11.0.0.0/8', '12.0.0.0/8', '13.0.0.0/8', '2001:db8:1::/48'));
      await driver.undo();
      const kept = pick(SECOND, '11.0.0.0/8', '13.0.0.0/8', '2001:db8:1::/48');
      await hear(SECOND, kept);
      expect(await sessionOf(driver, 'narrow')).toMatchObject({ since, routesExported: 3 });

      updates = narrow.updates().length;
      if (place.nextDriver !== undefined) {
        driver = await place.nextDriver();
        await driver.configure(model(4));
        const refused = driver.apply(routesOf('second', SECOND), never);
        await expect(refused).rejects.toMatchObject({
          code: 'max_prefixes_exceeded',
          message: expect.stringContaining('the peer Narrow would be sent 6 routes') as string,
        });
        const held = { held: routesOf('first', FIRST), labels: null, families: both.families };
        const limited: LimitedPeer[] = [{ peerId: 'narrow', ...held }];
        await driver.apply(routesOf('second', SECOND, { limited }), never);
        await says('more than max_prefixes_out 4');
      }
      await hear(SECOND, kept);
      expect(narrow.withdrawnSince(updates)).toEqual([]);

      await driver.configure(model(100));
      await hear(SECOND);
      await says(null);

      await driver.configure(model(2));
      await says('more than max_prefixes_out 2');
      await driver.apply(routesOf('third', THIRD), never);
      await hear(THIRD, SECOND);
      expect(narrow.withdrawnSince(updates)).toEqual([]);

      await driver.apply(routesOf('last', LAST), never);
      await hear(LAST);
      await says(null);
      await driver.apply(routesOf('others', OTHERS), never);
      await hear(OTHERS);
      expect(Object.values(await receivedBy(wide)).flat()).not.toContainEqual(
        expect.stringContaining('65534'),
      );
    });

    it('or sends it a cover, which nobody else receives, and takes that back', async () => {
      place = await start();
      const { driver } = place;
      const both = { families: ['ipv4', 'ipv6'] as const };
      const [wide, narrow] = [await place.peer(both), await place.peer(both)];
      const model = speakerModel(
        [
          place.peerOf(wide, { id: 'wide', ...both }),
          place.peerOf(narrow, { id: 'narrow', maxPrefixesOut: 4, fits: true, ...both }),
        ],
        place.speaker,
      );
      const cover = (routes: Routes): NonNullable<RoutesModel['fitted']> => [
        {
          ...{ peerIds: ['narrow'], routes: routesModel(tableOf(routes)) },
          cost: {
            added: { ipv4: NO_ADDED, ipv6: NO_ADDED },
            ...{ optimal: true, largest: [] },
          },
        },
      ];
      const apply = async (all: Routes, fitted: Routes | null): Promise<void> => {
        const more = fitted === null ? {} : { fitted: cover(fitted) };
        await driver.apply(routesModel(tableOf(all), { confirmSeconds: 60, ...more }), never);
        await driver.confirm();
        await receives(wide, all);
        await receives(narrow, fitted ?? all);
      };
      const { '21.0.0.0/8': one, '22.0.0.0/8': two, ...rest } = SECOND;
      await driver.configure(model);
      await apply(FIRST, null);
      const { since } = await sessionOf(driver, 'narrow');

      await apply(
        { ...rest, '21.0.0.0/9': one!, '21.192.0.0/10': one!, '22.0.0.0/9': two!, '22.192.0.0/10': two! },
        { '11.0.0.0/8': ['65000:1'], '21.0.0.0/8': one!, '22.0.0.0/8': two!, '2001:db8::/46': ['65000:1:2'] },
      );
      expect(await sessionOf(driver, 'narrow')).toMatchObject({ since, routesExported: 4, lastError: null });
      await apply(
        { ...rest, '21.0.0.0/9': one!, '21.192.0.0/10': one! },
        { '11.0.0.0/8': ['65000:1'], '21.0.0.0/8': one!, '2001:db8::/46': ['65000:1:2'] },
      );
      await apply(LAST, null);
      expect(await sessionOf(driver, 'narrow')).toMatchObject({ since, routesExported: 2, lastError: null });
      for (const bird of [wide, narrow])
        expect(Object.values(await receivedBy(bird)).flat()).not.toContainEqual(
          expect.stringContaining('65534'),
        );
    });
  });
});
