import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import {
  bigTable,
  mixedRoutes as routes,
  never,
  peerModel,
  routesModel,
  sessionOf,
  tableOf,
  sentSince,
  waitSession,
} from '../builtin/models.ts';
import { startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { announcesAll, ownNextHop, sendsEachItsOwn, twoCommunities } from '../mixed-routes.ts';
import { startWorld, type World } from './world.ts';

const TIME = /\b(\d\d):(\d\d):(\d\d\.\d{3})\b/g;

describe.skipIf(requireDaemon('bird') === null)('a speaker in BIRD', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  /**
   * What BIRD has that is not ours: its protocols with their states, and its own table; and since when, in milliseconds of the day, each of which BIRD
   * makes of two clocks whenever it is asked, so that it may be another millisecond the next time.
   */
  const foreign = async (): Promise<{ lines: string[]; times: number[] }> => {
    const texts = async (command: string): Promise<string[]> =>
      (await world.bird.command(command)).map(({ text }) => text);
    const protocols = (await texts('show protocols')).filter((line) => !line.startsWith('pc_'));
    const times: number[] = [];
    const lines = [...protocols.slice(1), ...(await texts('show route table master4'))].map((line) =>
      line.replaceAll(TIME, (_, hours: string, minutes: string, seconds: string) => {
        times.push(Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000));
        return 'time';
      }),
    );
    return { lines, times };
  };

  it('announces every route with its communities, and says what it does', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4', 'ipv6'] });
    const own = await foreign();
    const model = world.modelOf([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]);
    const session = await announcesAll(driver, model, peer, world.address);
    expect(session).toMatchObject({ state: 'established', lastError: null, updatesSent: 5 });
    const status = await driver.status();
    expect(status).toMatchObject({ reachable: true, routerId: '10.255.0.1', error: null });
    expect(status.version).toMatch(/^BIRD \d/);
    const age = Date.now() - Date.parse(status.lastReconfiguredAt!);
    expect(age).toBeGreaterThanOrEqual(-1_000);
    expect(age).toBeLessThan(120_000);
    // What BIRD had from others is as it was.
    const { lines, times } = await foreign();
    expect(lines).toEqual(own.lines);
    expect(times.length).toBeGreaterThan(3);
    // What had been made another time would be so later by all that has happened since.
    expect(times.map((time, at) => Math.abs(time - own.times[at]!) < 10)).toEqual(times.map(() => true));
  });

  it('sends a peer only its communities, and the next hops that these or the peer set', async () => {
    const driver = world.driver();
    const [two, own] = [await world.peer(), await world.peer()];
    const model = world.modelOf([world.peerOf(two, twoCommunities), world.peerOf(own, ownNextHop)]);
    await sendsEachItsOwn(driver, model, { two, own }, world.address);
  });

  it('sends the difference of an apply without a new session, and does nothing for what BIRD runs already', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(bigTable(1_000, ['65000:1', '65000:2'])), never);
    await peer.waitRoutes(1_000);
    const before = peer.updates().length;
    const { since } = await waitSession(driver, 'the session', ({ state }) => state === 'established');
    // 990 stay, 10 go, 10 come.
    const next = routesModel(bigTable(1_000, ['65000:1', '65000:2'], 10));
    expect(await driver.apply(next, never)).toEqual({ announced: 10, withdrawn: 10, changed: 0 });
    await waitFor(() => sentSince(peer, before).every((count) => count >= 10), { what: 'the difference' });
    expect(sentSince(peer, before)).toEqual([10, 10]);
    expect(await sessionOf(driver)).toMatchObject({ since, routesExported: 1_000 });

    const reconfigurations = (): number => world.bird.log().match(/Reconfigured/g)!.length;
    const done = reconfigurations();
    expect(await driver.apply(next, never)).toEqual({ announced: 0, withdrawn: 0, changed: 0 });
    // Nor does a process that has just been started.
    const restarted = world.driver();
    await restarted.configure(world.modelOf([world.peerOf(peer)]));
    await restarted.apply(next, never);
    expect(reconfigurations()).toBe(done);
  });

  it('follows changes of peers, and keeps the sessions of the others', async () => {
    const driver = world.driver();
    const [stays, goes, comes] = [await world.peer(), await world.peer(), await world.peer()];
    await driver.configure(world.modelOf([world.peerOf(stays), world.peerOf(goes)]));
    await driver.apply(routesModel(routes), never);
    await stays.waitRoutes(4);
    await goes.waitRoutes(4);
    const { id } = world.peerOf(stays);
    const { since } = await waitSession(driver, 'it', ({ state }) => state === 'established', id);
    await driver.configure(
      world.modelOf([world.peerOf(stays, { labels: ['65000:1'], maxPrefixesOut: 7 }), world.peerOf(comes)]),
    );
    await comes.waitRoutes(4);
    await stays.waitRoutes(2);
    await goes.waitRoutes(0);
    expect(await sessionOf(driver, id)).toMatchObject({ state: 'established', since, routesExported: 2 });
  });

  it('says where BIRD cannot listen, and which setting of the speaker helps', async () => {
    const driver = world.driver();
    const squatter = createServer().listen({ host: '::', port: world.port, ipv6Only: true });
    await once(squatter, 'listening');
    try {
      const model = peerModel({
        ...{ id: 'six', address: '::1', port: 1, localAddress: null, multihop: 5 },
        families: ['ipv6'],
        nextHopIpv6: '2001:db8::1',
      });
      await driver.configure(world.modelOf([model]));
      await driver.apply(routesModel(routes), never);
      const { lastError } = await waitSession(driver, 'a fault', (session) => session.lastError !== null);
      expect(lastError).toBe(
        `BIRD cannot listen at port ${world.port} of all IPv6 addresses of its machine, and so opens no session. Set local_ipv6 of the speaker to the address that it is to call from.`,
      );
    } finally {
      squatter.close();
    }
  });

  it('signs sessions by MD5 with any password that it accepts', async () => {
    const password = `#it's; } a "secret\\`.replace('"', '');
    const driver = world.driver();
    const address = loopbackAddress();
    const port = await freePort(address);
    const peer = await startBird({
      listen: { address, port },
      routerId: address,
      localAsn: 65_001,
      neighbors: [],
      extraConfig: `protocol bgp n1 {
        local ${address} port ${port} as 65001; neighbor ${world.address} port ${world.port} as 64512;
        strict bind; multihop; password "${password}"; ipv4 { import all; export none; };
      }`,
    });
    try {
      const model = world.peerOf(peer, { password });
      await driver.configure(world.modelOf([model]));
      await driver.apply(routesModel(routes), never);
      await waitSession(driver, 'the session', ({ state }) => state === 'established');
      const session = await waitSession(driver, 'routes', ({ routesExported }) => routesExported === 4);
      expect(session.state).toBe('established');
      await driver.configure(world.modelOf([{ ...model, password: 'another' }]));
      const wrong = await waitSession(driver, 'the session to end', ({ state }) => state !== 'established');
      expect(wrong.routesExported).toBe(0);
    } finally {
      await peer.stop();
    }
  });

  it('is one of several, which come and go without touching each other', async () => {
    const [one, two] = [world.driver('one'), world.driver('two')];
    const [first, second] = [await world.peer(), await world.peer()];
    await one.configure(world.modelOf([world.peerOf(first)], { speakerId: 'one' }));
    await two.configure(world.modelOf([world.peerOf(second)], { speakerId: 'two' }));
    // At once: each is a transaction of its own, one after the other.
    await Promise.all([
      one.apply(routesModel(tableOf({ '11.0.0.0/8': ['65000:1'] })), never),
      two.apply(routesModel(tableOf({ '12.0.0.0/8': ['65000:1'], '13.0.0.0/8': [] })), never),
    ]);
    await first.waitRoutes(1);
    await second.waitRoutes(2);
    await one.close(false);
    await first.waitRoutes(0);
    expect(await second.routeCount()).toBe(2);
    await two.close(true);
    expect(await second.routeCount()).toBe(2);
    expect((await two.status()).sessions).toMatchObject([{ state: 'established', routesExported: 2 }]);
    const files = readdirSync(world.directory).filter((name) => name.endsWith('.conf'));
    expect(files).toHaveLength(1);
    expect(readdirSync(`${world.directory}/routes`)).toHaveLength(2);
  });

  it('says of each peer what is wrong with it, and of a BIRD that was changed behind its back', async () => {
    const driver = world.driver();
    const absent = { address: loopbackAddress(), port: await freePort(), remoteAsn: 65_009 };
    const peer = await world.peer();
    await driver.configure(
      world.modelOf([
        world.peerOf(peer, { ...absent, id: 'absent' }),
        world.peerOf(peer, { id: 'refused', password: '"' }),
      ]),
    );
    await driver.apply(routesModel(routes), never);
    const error = await waitSession(driver, 'an error', ({ lastError }) => lastError !== null, 'absent');
    expect(error).toMatchObject({ routesExported: 0 });
    expect(error.lastError).toMatch(/refused/i);
    const refused = await sessionOf(driver, 'refused');
    expect(refused).toMatchObject({ state: 'idle' });
    expect(refused.lastError).toContain('password is one that BIRD does not support');
    await world.bird.command('configure undo');
    await waitFor(async () => (await driver.status()).error?.includes('another configuration') === true, {
      what: 'the other configuration to be seen',
    });
    await driver.apply(routesModel(routes), never);
    expect((await driver.status()).error).toBeNull();
  });

  it('sends a peer that speaks one family only the routes of that, and says so', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4'] });
    await driver.configure(world.modelOf([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]));
    await driver.apply(routesModel(routes), never);
    await peer.waitRoutes(4);
    const next = tableOf({ '11.0.0.0/8': ['65000:1'], '2001:db8:1::/48': [], '2001:db8:2::/48': [] });
    await driver.apply(routesModel(next), never);
    await peer.waitRoutes(1);
    const session = await sessionOf(driver);
    expect(session).toMatchObject({ state: 'established', routesExported: 1 });
    expect(session.lastError).toContain('takes no ipv6 routes');
  });

  it('refuses what a peer may not be sent, and BFD where BIRD has none, before BIRD receives it', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer, { maxPrefixesOut: 3, name: 'Edge' })]));
    await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({
      code: 'max_prefixes_exceeded',
      message: expect.stringContaining('the peer Edge would be sent 4 routes') as string,
    });
    await driver.configure(world.modelOf([world.peerOf(peer, { bfd: true })]));
    await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({ code: 'bfd_missing' });
    expect(readdirSync(world.directory)).toEqual([]);
  });
});
