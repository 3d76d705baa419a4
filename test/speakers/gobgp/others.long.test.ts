import { afterEach, describe, expect, it } from 'vitest';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { markOf, speakerTag } from '../../../src/speakers/gobgp/names.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  receivedBy,
  mixedRoutes as routes,
  never,
  routesModel,
  sessionOf,
  tableOf,
  waitSession,
} from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

let world: World;
const peers: Bird[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
  await world?.stop();
});

/** What a speaker that is new begins with: GoBGP is not taken for one that was restarted. */
const nothing = routesModel(tableOf({}));

/** A GoBGP with a peer, a route and a policy of its operator's, and that peer, which announces a route. */
async function startShared(largeCommunities: readonly string[] = []): Promise<Bird> {
  const address = loopbackAddress();
  const port = await freePort(address);
  world = await startWorld({
    neighbors: [{ address, port, asn: 65_100, passive: true }],
    announce: [{ prefix: '198.18.0.0/15', communities: ['65000:1'] }],
  });
  const peer = await startBird({
    listen: { address, port },
    ...{ routerId: address, localAsn: 65_100 },
    neighbors: [{ address: world.address, port: world.port, asn: SPEAKER_ASN }],
    announce: [{ prefix: '100.64.0.0/10', communities: ['65000:1'], largeCommunities }],
  });
  peers.push(peer);
  await peer.waitRoutes(1);
  await waitFor(async () => (await world.gobgp.routeCount()) === 1, { what: 'its route' });
  return peer;
}

/** What GoBGP has that is not ours. */
async function foreign(): Promise<unknown> {
  const command = async (...words: string[]): Promise<string> => world.gobgp.command(...words);
  const rib = (await command('global', 'rib')).split('\n').filter((line) => /198\.18|100\.64/.test(line));
  const policies = (await command('global', 'policy')).split('\n').filter((line) => !line.includes('pcast'));
  return {
    rib: rib.map((line) => line.replace(/\d\d:\d\d:\d\d/, '')),
    session: await world.gobgp.session(),
    own: await command('policy', 'own'),
    default: policies[1],
  };
}

describe.skipIf(requireDaemon('gobgpd') === null)(
  'beside peers, routes and policies of others, a speaker in GoBGP',
  () => {
    it('touches none of them: neither side receives the routes of the other', async () => {
      const theirs = await startShared();
      const before = await foreign();
      const driver = world.driver();
      const ours = await world.peer();
      await driver.configure(world.modelOf([world.peerOf(ours)]));
      await driver.apply(nothing, never);
      await driver.apply(routesModel(routes), never);
      await ours.waitRoutes(4);
      expect(Object.keys(await receivedBy(ours))).not.toContain('100.64.0.0/10');
      expect(await receivedBy(theirs)).toEqual({ '198.18.0.0/15': ['65000:1'] });
      expect(await foreign()).toEqual(before);
      // A change of policy does not either.
      await driver.configure(world.modelOf([world.peerOf(ours, { labels: ['65000:1'] })]));
      await ours.waitRoutes(2);
      expect(await receivedBy(theirs)).toEqual({ '198.18.0.0/15': ['65000:1'] });
      expect(theirs.updates()).toHaveLength(2); // the one route, and the end of the table
      // A route of ours that is theirs as well counts as both.
      await driver.close(false);
      await ours.waitRoutes(0);
      expect(await foreign()).toEqual(before);
      expect(await world.gobgp.command('global', 'policy')).not.toContain('pcast');
    });

    it('takes no route of theirs for one of its own, not even with its mark', async () => {
      const mark = markOf(speakerTag('speaker'));
      const theirs = await startShared([mark]);
      const own = loopbackAddress();
      const ours = await startBird({
        listen: { address: own, port: await freePort(own) },
        ...{ routerId: own, localAsn: 65_001 },
        neighbors: [{ address: world.address, port: world.port, asn: SPEAKER_ASN }],
        announce: [{ prefix: '100.65.0.0/16', largeCommunities: [mark] }],
      });
      peers.push(ours);
      const second = await world.peer();
      const driver = world.driver();
      const models = [world.peerOf(ours), world.peerOf(second)];
      await driver.configure(world.modelOf(models));
      await driver.apply(nothing, never);
      await driver.apply(routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] })), never);
      await waitSession(driver, 'its route', ({ routesReceived }) => routesReceived === 1, models[0]!.id);
      for (const peer of [ours, second]) {
        await peer.waitRoutes(1);
        expect(await receivedBy(peer)).toEqual({ '10.0.0.0/8': ['65000:1'] });
      }
      expect(await receivedBy(theirs)).toEqual({ '198.18.0.0/15': ['65000:1'] });
      // The next process reads what is there.
      const next = world.newProcess();
      await next.configure(world.modelOf(models));
      expect(await next.apply(routesModel(tableOf({ '11.0.0.0/8': ['65000:1'] })), never)).toBeDefined();
      await waitFor(async () => '11.0.0.0/8' in (await receivedBy(second)), { what: 'the new route' });
      expect(await receivedBy(second)).toEqual({ '11.0.0.0/8': ['65000:1'] });
    });

    it('distinguishes its routes from theirs when it counts, also while theirs change', async () => {
      const theirs = await startShared();
      const driver = world.driver();
      const ours = await world.peer();
      await driver.configure(world.modelOf([world.peerOf(ours)]));
      await driver.apply(routesModel(routes), never);
      await ours.waitRoutes(4);
      // Somebody takes one of our routes out, and somebody else's comes: the count alone would not tell.
      await world.gobgp.command('global', 'rib', 'del', '10.0.0.0/8');
      await ours.waitRoutes(3);
      const next = world.newProcess();
      await next.configure(world.modelOf([world.peerOf(ours)]));
      await next.apply(routesModel(routes), never);
      await ours.waitRoutes(4);
      await theirs.stop();
      await waitFor(async () => (await world.gobgp.routeCount()) === 0, { what: 'their route to go' });
      await next.apply(routesModel(tableOf({ '11.0.0.0/8': ['65000:1'] })), never);
      await ours.waitRoutes(1);
    });

    it('leaves out a peer whose address is one of theirs, and says so', async () => {
      const theirs = await startShared();
      const driver = world.driver();
      const ours = await world.peer();
      await driver.configure(world.modelOf([world.peerOf(theirs, { id: 'theirs' }), world.peerOf(ours)]));
      await driver.apply(routesModel(routes), never);
      await ours.waitRoutes(4);
      const session = await sessionOf(driver, 'theirs');
      expect(session).toMatchObject({ state: 'idle', routesExported: 0 });
      expect(session.lastError).toContain('not of this service');
      expect(await theirs.routeCount()).toBe(1);
    });

    it('is the only one, and says which other one there is', async () => {
      world = await startWorld();
      const [first, second] = [world.driver('one'), world.driver('two')];
      await first.configure(world.modelOf([], { speakerId: 'one' }));
      await first.apply(routesModel(routes), never);
      await second.configure(world.modelOf([], { speakerId: 'two' }));
      await expect(second.apply(routesModel(routes), never)).rejects.toMatchObject({
        code: 'daemon_taken',
        message: expect.stringMatching(/another speaker already \(.*pcast-[0-9a-f]{8}\)/) as string,
      });
      await first.close(false);
      await second.apply(routesModel(routes), never);
      expect((await second.status()).error).toBeNull();
    });

    it('is refused by a GoBGP of another AS, with what to do', async () => {
      world = await startWorld();
      const driver = world.driver();
      await driver.configure(world.modelOf([], { localAsn: 65_333 }));
      await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({
        code: 'config_refused',
        message: expect.stringMatching(
          /runs as AS 64512 and the speaker is AS 65333: set local_asn/,
        ) as string,
      });
    });
  },
);

describe.skipIf(requireDaemon('gobgpd') === null)('a service that was started again', () => {
  it('narrows what a peer receives without a new session, and without a moment in which another peer lacks a route', async () => {
    world = await startWorld();
    const [narrowed, other] = [await world.peer(), await world.peer()];
    const driver = world.driver();
    await driver.configure(world.modelOf([world.peerOf(narrowed), world.peerOf(other)]));
    await driver.apply(routesModel(routes), never);
    await narrowed.waitRoutes(4);
    await other.waitRoutes(4);
    const { id } = world.peerOf(narrowed);
    const { since } = await waitSession(driver, 'it', ({ state }) => state === 'established', id);
    const next = world.newProcess();
    await next.configure(
      world.modelOf([world.peerOf(narrowed, { labels: ['65000:2'] }), world.peerOf(other)]),
    );
    await next.apply(routesModel(routes), never);
    await narrowed.waitRoutes(2);
    await waitFor(async () => (await receivedBy(narrowed))['172.16.0.0/12']?.length === 1, {
      what: 'narrowing',
    });
    expect(await receivedBy(narrowed)).toEqual({
      '172.16.0.0/12': ['65000:2'],
      '192.168.0.0/16': ['65000:2'],
    });
    expect(await sessionOf(next, id)).toMatchObject({ state: 'established', since, routesExported: 2 });
    expect(await other.routeCount()).toBe(4);
    expect(other.updates().flatMap(({ withdrawn }) => withdrawn)).toEqual([]);
    // And widens it again.
    await next.configure(world.modelOf([world.peerOf(narrowed), world.peerOf(other)]));
    await narrowed.waitRoutes(4);
    await waitFor(async () => (await receivedBy(narrowed))['172.16.0.0/12']?.length === 2, {
      what: 'widening',
    });
    expect(await receivedBy(narrowed)).toEqual(await receivedBy(other));
  });
});
