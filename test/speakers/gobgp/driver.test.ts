import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRouter, type RouterConfig } from '../../../src/config/router-config.ts';
import { routerDrivers } from '../../../src/router-drivers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  bigTable,
  receivedBy,
  mixedRoutes as routes,
  never,
  routesModel,
  tableOf,
  sentSince,
  waitSession,
} from '../builtin/models.ts';
import { announcesAll, ownNextHop, sendsEachItsOwn, twoCommunities } from '../mixed-routes.ts';
import { startWorld, type World } from './world.ts';

describe.skipIf(requireDaemon('gobgpd') === null)('a speaker in GoBGP', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  it('announces every route with its communities, and says what it does', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4', 'ipv6'] });
    const model = world.modelOf([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]);
    const session = await announcesAll(driver, model, peer, world.address);
    expect(session).toMatchObject({ state: 'established', lastError: null, families: ['ipv4', 'ipv6'] });
    expect(session.updatesSent).toBeGreaterThan(0);
    const status = await driver.status();
    expect(status).toMatchObject({ reachable: true, routerId: '192.0.2.2', version: 'GoBGP', error: null });
    for (const time of [session.since, status.lastReconfiguredAt!]) {
      expect(Date.now() - Date.parse(time)).toBeGreaterThanOrEqual(-1_000);
      expect(Date.now() - Date.parse(time)).toBeLessThan(120_000);
    }
  });

  it('sends a peer only its communities, and the next hops that these or the peer set', async () => {
    const driver = world.driver();
    const [two, own, none] = [await world.peer(), await world.peer(), await world.peer()];
    const model = world.modelOf([
      world.peerOf(two, twoCommunities),
      world.peerOf(own, ownNextHop),
      world.peerOf(none, { labels: [] }),
    ]);
    await sendsEachItsOwn(driver, model, { two, own }, world.address);
    await none.waitEstablished();
    expect(await none.routeCount()).toBe(0);
  });

  it('takes no route that a peer sends', async () => {
    const driver = world.driver();
    const peer = await world.peer({}, { announce: [{ prefix: '100.64.0.0/10' }] });
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] })), never);
    await waitSession(
      driver,
      'a route each way',
      ({ routesReceived, routesExported }) => routesReceived === 1 && routesExported === 1,
    );
    const rib = await world.gobgp.command('global', 'rib');
    expect(rib).toContain('10.0.0.0/8');
    expect(rib).not.toContain('100.64.0.0/10');
  });

  it('passes on well-known communities, whatever they mean to GoBGP', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    const table = tableOf({
      '11.0.0.0/8': ['no-export'],
      '12.0.0.0/8': ['no-advertise'],
      '13.0.0.0/8': ['no-peer'],
    });
    await driver.apply(routesModel(table), never);
    await peer.waitRoutes(3);
    expect(await receivedBy(peer)).toEqual({
      '11.0.0.0/8': ['65535:65281'],
      '12.0.0.0/8': ['65535:65282'],
      '13.0.0.0/8': ['65535:65284'],
    });
  });

  it('sends the difference of an apply without a new session, and does nothing for what GoBGP runs already', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(bigTable(3_000, ['65000:1', '65000:2'])), never);
    await peer.waitRoutes(3_000);
    const before = peer.updates().length;
    const { since } = await waitSession(driver, 'the session', ({ state }) => state === 'established');
    const reported = (): number[] => sentSince(peer, before);
    // 2,990 stay, 10 go, 10 come.
    const next = routesModel(bigTable(3_000, ['65000:1', '65000:2'], 10));
    expect(await driver.apply(next, never)).toEqual({ announced: 10, withdrawn: 10, changed: 0 });
    await waitFor(() => reported().every((count) => count >= 10), { what: 'the difference' });

    expect(await driver.apply(next, never)).toEqual({ announced: 0, withdrawn: 0, changed: 0 });
    // Nor does a process that has just been started, which learns from GoBGP what is there.
    const restarted = world.newProcess();
    await restarted.configure(world.modelOf([world.peerOf(peer)]));
    await restarted.apply(next, never);
    // One that has other routes sends the difference to what is there.
    const again = world.newProcess();
    await again.configure(world.modelOf([world.peerOf(peer)]));
    await again.apply(routesModel(bigTable(3_000, ['65000:1', '65000:2'], 8)), never);
    await waitFor(() => reported().every((count) => count >= 12), { what: 'the second difference' });
    expect(reported()).toEqual([12, 12]);
    const session = await waitSession(again, 'the count', ({ routesExported }) => routesExported === 3_000);
    expect(session).toMatchObject({ state: 'established', since });
  });

  it('changes the communities of a route in place, and takes it from peers that receive none of the new ones', async () => {
    const driver = world.driver();
    const [all, some] = [await world.peer(), await world.peer()];
    await driver.configure(world.modelOf([world.peerOf(all), world.peerOf(some, { labels: ['65000:1'] })]));
    await driver.apply(routesModel(tableOf({ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1'] })), never);
    await all.waitRoutes(2);
    await some.waitRoutes(2);
    const changed = tableOf({ '11.0.0.0/8': ['65000:3'], '12.0.0.0/8': ['65000:1', '65000:3'] });
    expect(await driver.apply(routesModel(changed), never)).toEqual({
      announced: 0,
      withdrawn: 0,
      changed: 2,
    });
    await some.waitRoutes(1);
    await waitFor(async () => (await receivedBy(all))['11.0.0.0/8']?.[0] === '65000:3', {
      what: 'the community',
    });
    expect(await receivedBy(all)).toEqual({
      '11.0.0.0/8': ['65000:3'],
      '12.0.0.0/8': ['65000:1', '65000:3'],
    });
    expect(await receivedBy(some)).toEqual({ '12.0.0.0/8': ['65000:1'] });
    await driver.apply(routesModel(tableOf({})), never);
    await all.waitRoutes(0);
    await some.waitRoutes(0);
  });

  it('takes away what carried the last of a community as it was, without telling it in another way first', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const table = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1', '65000:2'], '13.0.0.0/8': [] };
    const labels = {
      '65000:1': { community: '65000:1', nextHopIpv4: '203.0.113.1', nextHopIpv6: null },
      '65000:2': { community: '65000:2', nextHopIpv4: '203.0.113.2', nextHopIpv6: null },
    };
    await driver.configure(world.modelOf([world.peerOf(peer, { nextHopIpv4: '203.0.113.9' })]));
    await driver.apply(routesModel(tableOf(table), { labels }), never);
    await peer.waitRoutes(3);
    const known = peer.updates().length;
    const rest = { '12.0.0.0/8': ['65000:2'], '13.0.0.0/8': [] };
    await driver.apply(
      routesModel(tableOf(rest), { labels: { '65000:2': labels['65000:2'] }, noExport: true }),
      never,
    );
    await peer.waitRoutes(2);
    await waitFor(async () => (await receivedBy(peer))['13.0.0.0/8']?.[0] === '65535:65281', {
      what: 'what all routes carry',
    });
    const reported = peer
      .updates()
      .slice(known)
      .flatMap(({ announced }) => announced);
    expect(reported).not.toContain('11.0.0.0/8');
    expect(await receivedBy(peer)).toEqual({
      '12.0.0.0/8': ['65000:2', '65535:65281'],
      '13.0.0.0/8': ['65535:65281'],
    });
  });

  it('is what APP_ROUTER_DAEMON=gobgp makes of APP_ROUTER_SOCKET', async () => {
    const routerOf = (env: Record<string, string>): RouterConfig =>
      readRouter({ APP_ROUTER_DAEMON: 'gobgp', ...env }, { host: '127.0.0.1', port: 1790 })!;
    const router = routerOf({ APP_ROUTER_SOCKET: world.gobgp.api });
    const { daemon, driver: driverOf } = routerDrivers(router, () => {
      throw new Error('GoBGP is not fed');
    });
    expect(daemon).toBe('gobgp');
    const driver = driverOf('speaker');
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(routes, { confirmSeconds: 600 }), never);
    await driver.confirm();
    await peer.waitRoutes(4);
    await driver.close(true);
    expect(routerOf({})).toEqual({ daemon: 'gobgp', api: '127.0.0.1:50051' });
    for (const wrong of ['/run/gobgp.sock', 'unix:gobgp.sock', '50051'])
      expect(() => routerOf({ APP_ROUTER_SOCKET: wrong })).toThrow('unix:/path or HOST:PORT');
  });
});
