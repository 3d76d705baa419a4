import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { communitiesOf } from '../../../src/speakers/export-policy.ts';
import { markOf } from '../../../src/speakers/openbgpd/marks.ts';
import { startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  bigTable,
  receivedBy,
  never,
  routesModel,
  sessionOf,
  speakerModel,
  tableOf,
  waitSession,
} from '../builtin/models.ts';
import { announcesAll } from '../mixed-routes.ts';
import { startWorld, type World } from './world.ts';

const missing = requireOpenbgpd() === null || requireDaemon('bird') === null;

describe.skipIf(missing)('a speaker in OpenBGPD', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  /** Messages that change routes, as the peer's own session counts them. */
  const updatesSent = async (): Promise<number> => {
    const answer = JSON.parse(await world.openbgpd.command('-j', 'show', 'neighbor')) as {
      neighbors: { stats: { message: { sent: { updates: number } } } }[];
    };
    return answer.neighbors[0]!.stats.message.sent.updates;
  };

  it('announces every route with its communities, and says what it does', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const model = speakerModel([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]);
    const session = await announcesAll(driver, model, peer, world.openbgpd.address);
    expect(session).toMatchObject({ state: 'established', families: ['ipv4', 'ipv6'], lastError: null });
    const status = await driver.status();
    expect(status).toMatchObject({ reachable: true, error: null });
    expect(status.version).toMatch(/^OpenBGPD \d/);
    expect(status.uptimeSeconds).toBeLessThan(120);
    expect(Math.abs(Date.now() - Date.parse(status.lastReconfiguredAt!))).toBeLessThan(120_000);
  });

  it('sends the difference only, and nothing where nothing changed', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(routesModel(bigTable(2_000, ['65000:1'])), never);
    await peer.waitRoutes(2_000);
    const before = await updatesSent();
    expect(await driver.apply(routesModel(bigTable(2_000, ['65000:1'])), never)).toEqual({
      ...{ announced: 0, withdrawn: 0, changed: 0 },
    });
    expect(await updatesSent()).toBe(before);
    const outcome = await driver.apply(routesModel(bigTable(2_000, ['65000:1'], 10)), never);
    expect(outcome).toEqual({ announced: 10, withdrawn: 10, changed: 0 });
    await waitFor(async () => (await peer.routes())[0]?.prefix === '16.0.10.0/24', {
      what: 'the new routes',
    });
    expect(await peer.routeCount()).toBe(2_000);
    // Another community is another mark: the prefixes are replaced, never withdrawn.
    await driver.apply(routesModel(bigTable(2_000, ['65000:2'], 10)), never);
    await waitFor(
      async () => (await peer.routes()).every(({ communities }) => communities.includes('65000:2')),
      {
        what: 'the other community',
      },
    );
    expect(await peer.routeCount()).toBe(2_000);
  });

  it('sends each peer its own communities and next hops', async () => {
    const driver = world.driver();
    const [some, all, none] = [await world.peer(), await world.peer(), await world.peer()];
    const labels = {
      '65000:1': { community: '65000:1', nextHopIpv4: '203.0.113.1', nextHopIpv6: null },
      '65000:2': { community: '65000:2', nextHopIpv4: null, nextHopIpv6: null },
      'no-export': { community: 'no-export', nextHopIpv4: null, nextHopIpv6: null },
    };
    const table = tableOf({
      '10.0.0.0/8': ['65000:1', '65000:2'],
      '11.0.0.0/8': ['65000:2'],
      '12.0.0.0/8': ['65000:1', 'no-export'],
    });
    await driver.configure(
      speakerModel([
        world.peerOf(some, { labels: ['65000:1'] }),
        world.peerOf(all, { nextHopIpv4: '203.0.113.9' }),
        world.peerOf(none, { labels: [] }),
      ]),
    );
    await driver.apply({ ...routesModel(table), labels }, never);
    await some.waitRoutes(2);
    await all.waitRoutes(3);
    expect(await receivedBy(some)).toEqual({ '10.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1'] });
    expect((await some.routes()).map(({ nextHop }) => nextHop)).toEqual(['203.0.113.1', '203.0.113.1']);
    expect(await receivedBy(all)).toEqual({
      '10.0.0.0/8': ['65000:1', '65000:2'],
      '11.0.0.0/8': ['65000:2'],
      '12.0.0.0/8': ['65000:1', '65535:65281'],
    });
    expect((await all.routes()).map(({ nextHop }) => nextHop)).toEqual(Array(3).fill('203.0.113.9'));
    await waitSession(driver, 'a session', ({ state }) => state === 'established', world.peerOf(none).id);
    expect(await none.routeCount()).toBe(0);

    // What is to be dropped goes where its community says, also beside another community with a next hop.
    const dropped = tableOf({ '11.0.0.0/8': ['65000:2'], '12.0.0.0/8': ['65000:1', 'blackhole'] });
    const blackhole = { community: 'blackhole', nextHopIpv4: '192.0.2.66', nextHopIpv6: null };
    await driver.apply({ ...routesModel(dropped), labels: { ...labels, blackhole } }, never);
    const hops = async (): Promise<Record<string, string>> =>
      Object.fromEntries((await all.routes()).map(({ prefix, nextHop }) => [prefix, nextHop]));
    await expect.poll(hops).toEqual({ '11.0.0.0/8': '203.0.113.9', '12.0.0.0/8': '192.0.2.66' });
  });

  it('goes back to what was confirmed, and stays with what is', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] })), never);
    await peer.waitRoutes(1);
    const next = routesModel(bigTable(3, ['65000:1']), { confirmSeconds: 60 });
    await driver.apply(next, never);
    await peer.waitRoutes(3);
    await driver.undo();
    await waitFor(async () => Object.keys(await receivedBy(peer)).join() === '10.0.0.0/8', {
      what: 'the undo',
    });
    await driver.apply(next, never);
    await driver.confirm();
    await driver.undo();
    expect(await peer.routeCount()).toBe(3);
  });

  it('finds its networks again after a restart of the process, and takes out what is no more', async () => {
    const first = world.driver();
    const peer = await world.peer();
    const model = speakerModel([world.peerOf(peer)]);
    await first.configure(model);
    await first.apply(routesModel(bigTable(100, ['65000:1'])), never);
    await peer.waitRoutes(100);
    await first.close(true);
    expect(await peer.routeCount()).toBe(100);

    const second = world.driver();
    await second.configure(model);
    await second.apply(routesModel(bigTable(100, ['65000:1'], 1)), never);
    await waitFor(async () => (await peer.routes())[0]?.prefix === '16.0.1.0/24', {
      what: 'the first to go',
    });
    expect(await peer.routeCount()).toBe(100);
    await second.close(false);
    await waitFor(async () => (await peer.routeCount()) === 0, { what: 'the speaker to be taken out' });
    expect(readFileSync(join(world.directory, 'prefixcast.conf'), 'utf8')).not.toContain('neighbor');
    // What OpenBGPD had of its own is still there.
    expect(await world.openbgpd.command('network', 'show')).toContain('198.18.0.0/15');
  });

  it('gives a peer that changes what the change asks for, and leaves out one that it cannot hold', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const bfd = { ...world.peerOf(peer), id: 'bfd', address: '127.9.9.9', bfd: true };
    const twin = { ...world.peerOf(peer), id: 'twin' };
    const model = speakerModel([world.peerOf(peer), bfd, twin]);
    expect(driver.check(model)).toEqual([
      expect.stringMatching(/OpenBGPD has no BFD/) as string,
      expect.stringMatching(/same address/) as string,
    ]);
    await driver.configure(model);
    await driver.apply(routesModel(tableOf({ '10.0.0.0/8': ['65000:1'], '11.0.0.0/8': ['65000:2'] })), never);
    await peer.waitRoutes(2);
    expect(await sessionOf(driver, 'bfd')).toMatchObject({
      ...{ state: 'idle', routesExported: 0 },
      lastError: expect.stringMatching(/BFD/) as string,
    });
    const since = (await sessionOf(driver, world.peerOf(peer).id)).since;
    await driver.configure(speakerModel([world.peerOf(peer, { labels: ['65000:2'] })]));
    await waitFor(async () => Object.keys(await receivedBy(peer)).join() === '11.0.0.0/8', {
      what: 'the one route',
    });
    expect((await sessionOf(driver)).since).toBe(since);
  });

  it('sends a peer of one family the routes of that, and says which one it does not take', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4'] });
    const model = speakerModel([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]);
    await driver.configure(model);
    await driver.apply(routesModel(tableOf({})), never);
    await waitSession(driver, 'the session', ({ state }) => state === 'established');
    const table = tableOf({ '10.0.0.0/8': ['65000:1'], '2001:db8::/32': ['65000:1'] });
    await driver.apply(routesModel(table), never);
    await peer.waitRoutes(1);
    expect(await sessionOf(driver)).toMatchObject({
      ...{ routesExported: 1, families: ['ipv4'] },
      lastError: expect.stringContaining('have not agreed on ipv6') as string,
    });
  });

  it('lets no peer receive a route of others that carries a mark of ours', async () => {
    const own = loopbackAddress();
    const listen = { address: own, port: await freePort(own) };
    await world.stop();
    world = await startWorld('', { neighbors: [{ ...listen, asn: 65_100, passive: true }] });
    const mark = markOf(communitiesOf(['65000:1'], { labels: {} }));
    const theirs = await startBird({
      ...{ listen, routerId: own, localAsn: 65_100 },
      neighbors: [{ ...world.openbgpd, asn: SPEAKER_ASN }],
      announce: [{ prefix: '100.64.0.0/10', largeCommunities: [mark, '65000:1:2'] }],
    });
    try {
      const isThere = async (): Promise<boolean> =>
        (await world.openbgpd.command('show', 'rib', 'detail')).includes('100.64.0.0/10');
      await waitFor(isThere, { what: 'the route of others' });
      const driver = world.driver();
      const peer = await world.peer();
      await driver.configure(speakerModel([world.peerOf(peer)]));
      await driver.apply(routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] })), never);
      await peer.waitRoutes(1);
      expect(await receivedBy(peer)).toEqual({ '10.0.0.0/8': ['65000:1'] });
      expect(await isThere()).toBe(true);
    } finally {
      await theirs.stop();
    }
  });
});
