import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LabelModel, PeerModel, PlainDriver } from '../../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  bigTable,
  receivedBy,
  mixedRoutes as routes,
  never,
  routesModel,
  sessionOf,
  speakerModel,
  tableOf,
  sentSince,
  waitSession,
} from '../builtin/models.ts';
import { announcesAll, ownNextHop, sendsEachItsOwn, twoCommunities } from '../mixed-routes.ts';
import { foreign, startWorld, type World } from './world.ts';

describe.skipIf(requireDaemon('frr-bgpd') === null)('a speaker in FRR', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  it('announces every route with its communities, and says what it does', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4', 'ipv6'] });
    const own = await foreign(world.frr);
    const model = speakerModel([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]);
    const session = await announcesAll(driver, model, peer, world.address);
    expect(session).toMatchObject({ state: 'established', lastError: null, families: ['ipv4', 'ipv6'] });
    const status = await driver.status();
    expect(status).toMatchObject({ reachable: true, routerId: '10.255.0.1', error: null });
    expect(status.version).toMatch(/^FRRouting \d/);
    // What FRR had from others is as it was, and again once the speaker is gone.
    expect(await foreign(world.frr)).toEqual(own);
    await driver.close(false);
    await peer.waitRoutes(0);
    expect(await world.frr.command('show running-config')).not.toContain('pcast_');
    expect(await foreign(world.frr)).toEqual(own);
  });

  it('says nothing of a shutdown of its own where a router has not answered since the start', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const away = { ...world.peerOf(peer), address: loopbackAddress() };
    await driver.configure(speakerModel([away]));
    await driver.apply(routesModel(routes), never);
    const { state, lastError } = await waitSession(driver, 'it', (session) => session.state !== 'idle');
    expect({ state: state !== 'established', lastError }).toEqual({ state: true, lastError: null });
  });

  it('sends a peer only its communities, and the next hops that these or the peer set', async () => {
    const driver = world.driver();
    const [two, own] = [await world.peer(), await world.peer()];
    const model = speakerModel([world.peerOf(two, twoCommunities), world.peerOf(own, ownNextHop)]);
    await sendsEachItsOwn(driver, model, { two, own }, world.address);
    // A route that loses the community is taken from whoever receives no other of it; one that changes is sent again.
    const next = routesModel(tableOf({ '172.16.0.0/12': ['65000:1'], '192.168.0.0/16': ['65000:2'] }));
    expect(await driver.apply(next, never)).toEqual({ announced: 0, withdrawn: 3, changed: 2 });
    const expected = [
      [two, { '192.168.0.0/16': ['65000:2'] }],
      [own, { '172.16.0.0/12': ['65000:1'], '192.168.0.0/16': ['65000:2'] }],
    ] as const;
    for (const [peer, received] of expected)
      await waitFor(async () => isDeepStrictEqual(await receivedBy(peer), received), { what: 'the change' });
  });

  it('sends well-known communities on as they are, to the peers that receive them', async () => {
    const driver = world.driver();
    const [all, some, inside] = [
      await world.peer(),
      await world.peer(),
      await world.peer({}, { localAsn: 64_512 }),
    ];
    await driver.configure(
      speakerModel([
        world.peerOf(all),
        world.peerOf(some, { labels: ['blackhole', 'no-advertise'] }),
        world.peerOf(inside, { multihop: null }),
      ]),
    );
    const table = tableOf({
      '11.0.0.0/8': ['no-export', '65000:1'],
      '12.0.0.0/8': ['no-advertise', 'no-export-subconfed'],
      '13.0.0.0/8': ['blackhole', 'llgr-stale', 'standby-pe'],
    });
    const black: LabelModel = { community: 'blackhole', nextHopIpv4: '203.0.113.66', nextHopIpv6: null };
    const model = routesModel(table);
    await driver.apply({ ...model, labels: { ...model.labels, blackhole: black } }, never);
    await all.waitRoutes(3);
    expect(await receivedBy(all)).toEqual({
      '11.0.0.0/8': ['65000:1', '65535:65281'],
      '12.0.0.0/8': ['65535:65282', '65535:65283'],
      '13.0.0.0/8': ['65535:6', '65535:9', '65535:666'],
    });
    expect((await all.routes()).at(-1)).toMatchObject({ nextHop: '203.0.113.66' });
    await some.waitRoutes(2);
    expect(await receivedBy(some)).toEqual({ '12.0.0.0/8': ['65535:65282'], '13.0.0.0/8': ['65535:666'] });
    await inside.waitRoutes(3);
    expect((await inside.routes())[0]).toMatchObject({ asPath: '', nextHop: world.address });
  });

  it('shows peers what the builtin speaker would show them', async () => {
    const model = routesModel(
      tableOf({
        '11.0.0.0/8': ['65000:1'],
        '12.0.0.0/8': ['65000:2', '65000:1:2'],
        '13.0.0.0/8': ['no-advertise', '65000:1'],
        '14.0.0.0/8': ['no-export', '65000:2'],
        '2001:db8:1::/48': ['65000:1', 'blackhole'],
        '2001:db8:2::/48': [],
      }),
      { noExport: true },
    );
    const nextHops = { nextHopIpv4: '203.0.113.7', nextHopIpv6: '2001:db8::7' };
    const applied = {
      ...model,
      labels: { ...model.labels, '65000:2': { community: '65000:2', ...nextHops } },
    };
    const both = { families: ['ipv4', 'ipv6'] as const };
    const settings: readonly (readonly [number, Partial<PeerModel>])[] = [
      [65_001, {}],
      [65_002, { labels: ['65000:2', '65000:1:2', 'no-export', 'blackhole'] }],
      [65_003, { nextHopIpv4: '203.0.113.9', localAsn: 64_999 }],
      [SPEAKER_ASN, {}],
    ];
    const peers: Bird[] = [];
    for (const [localAsn, { localAsn: asn = SPEAKER_ASN }] of settings)
      peers.push(await world.peer({ ...both, asn }, { localAsn }));
    const models = settings.map(([, changes], i) => world.peerOf(peers[i]!, { ...both, ...changes }));
    const received = async (driver: PlainDriver): Promise<unknown> => {
      await driver.configure(speakerModel(models));
      await driver.apply(applied, never);
      for (const [i, { labels }] of models.entries()) await peers[i]!.waitRoutes(labels === null ? 6 : 3);
      const reported = await Promise.all(peers.map((peer) => peer.routes()));
      await driver.close(false);
      for (const peer of peers) await peer.waitRoutes(0);
      return reported;
    };
    const byFrr = await received(world.driver());
    expect(byFrr).toEqual(await received(world.engine.driver('direct')));
  });

  it('sends the difference of an apply without a new session or configuration', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(routesModel(bigTable(1_000, ['65000:1', '65000:2'])), never);
    await peer.waitRoutes(1_000);
    const before = peer.updates().length;
    const { since } = await waitSession(driver, 'the session', ({ state }) => state === 'established');
    const configured = await world.frr.command('show running-config');
    // 990 stay, 10 go, 10 come.
    const next = routesModel(bigTable(1_000, ['65000:1', '65000:2'], 10));
    expect(await driver.apply(next, never)).toEqual({ announced: 10, withdrawn: 10, changed: 0 });
    await waitFor(() => sentSince(peer, before).every((count) => count >= 10), { what: 'the difference' });
    expect(sentSince(peer, before)).toEqual([10, 10]);
    expect(await sessionOf(driver)).toMatchObject({ since, routesExported: 1_000 });
    expect(await world.frr.command('show running-config')).toBe(configured);
    expect(await driver.apply(next, never)).toEqual({ announced: 0, withdrawn: 0, changed: 0 });
  });

  it('follows changes of peers, and keeps the sessions of the others', async () => {
    const driver = world.driver();
    const [stays, goes, comes] = [await world.peer(), await world.peer(), await world.peer()];
    await driver.configure(speakerModel([world.peerOf(stays), world.peerOf(goes)]));
    await driver.apply(routesModel(routes), never);
    await stays.waitRoutes(4);
    await goes.waitRoutes(4);
    const { id } = world.peerOf(stays);
    const { since } = await waitSession(driver, 'it', ({ state }) => state === 'established', id);
    await driver.configure(
      speakerModel([world.peerOf(stays, { labels: ['65000:1'], maxPrefixesOut: 7 }), world.peerOf(comes)]),
    );
    await comes.waitRoutes(4);
    await stays.waitRoutes(2);
    await goes.waitRoutes(0);
    expect(await sessionOf(driver, id)).toMatchObject({ state: 'established', since, routesExported: 2 });
    // Another local AS number takes another view.
    const changed = { localAsn: 64_777 };
    await stays.configure({
      neighbors: [{ address: world.address, port: world.port, asn: 64_777, passive: true }],
    });
    await driver.configure(speakerModel([world.peerOf(stays, changed)], changed));
    await stays.waitRoutes(4);
    expect((await stays.routes())[0]).toMatchObject({ asPath: '64777' });
  });

  it('shows a peer the AS number and the address that are meant for it', async () => {
    const driver = world.driver();
    const peer = await world.peer({ asn: 64_999 });
    await driver.configure(speakerModel([world.peerOf(peer, { localAsn: 64_999, gracefulRestart: false })]));
    await driver.apply(routesModel(routes), never);
    await peer.waitRoutes(4);
    expect((await peer.routes())[0]).toMatchObject({ asPath: '64999', nextHop: world.address });
  });

  it('signs sessions by MD5 with any password that it accepts', async () => {
    const password = `#it's;}a"secret\\!?|`.replace('"', '');
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
        strict bind; multihop; passive; password "${password}"; ipv4 { import all; export none; };
      }`,
    });
    try {
      const model = world.peerOf(peer, { password });
      await driver.configure(speakerModel([model]));
      await driver.apply(routesModel(routes), never);
      const session = await waitSession(driver, 'routes', ({ routesExported }) => routesExported === 4);
      expect(session.state).toBe('established');
      await driver.configure(speakerModel([{ ...model, password: 'another' }]));
      const wrong = await waitSession(driver, 'the session to end', ({ state }) => state !== 'established');
      expect(wrong.routesExported).toBe(0);
    } finally {
      await peer.stop();
    }
  });

  it('is one of several, which come and go without touching each other', async () => {
    const [one, two] = [world.driver('one'), world.driver('two')];
    const [first, second] = [await world.peer(), await world.peer()];
    await one.configure(speakerModel([world.peerOf(first)], { speakerId: 'one' }));
    await two.configure(speakerModel([world.peerOf(second)], { speakerId: 'two' }));
    await Promise.all([
      one.apply(routesModel(tableOf({ '11.0.0.0/8': ['65000:1'] })), never),
      two.apply(routesModel(tableOf({ '12.0.0.0/8': ['65000:1'], '13.0.0.0/8': [] })), never),
    ]);
    await first.waitRoutes(1);
    await second.waitRoutes(2);
    await one.close(false);
    await first.waitRoutes(0);
    expect(await second.routeCount()).toBe(2);
    expect((await two.status()).sessions).toMatchObject([{ state: 'established', routesExported: 2 }]);
    await two.close(true);
    expect(await second.routeCount()).toBe(2);
  });

  it('says of each peer what is wrong with it', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const absent = { address: loopbackAddress(), port: await freePort(), remoteAsn: 65_009 };
    await driver.configure(
      speakerModel([
        world.peerOf(peer),
        world.peerOf(peer, { ...absent, id: 'absent' }),
        world.peerOf(peer, { id: 'twin', name: 'Twin' }),
        world.peerOf(peer, { id: 'refused', address: loopbackAddress(), password: 'a b' }),
        world.peerOf(peer, { id: 'feed', address: world.options.feed.address }),
        world.peerOf(peer, { id: 'calls', address: loopbackAddress(), passive: true }),
      ]),
    );
    await driver.apply(routesModel(routes), never);
    await peer.waitRoutes(4);
    const error = async (id: string): Promise<string | null> => (await sessionOf(driver, id)).lastError;
    expect(await error('twin')).toContain('the same address');
    expect(await error('refused')).toContain('its password is one that FRR');
    expect(await error('feed')).toContain('fetches the routes from this service');
    expect(await error('calls')).toContain('set passive to false');
    expect(await sessionOf(driver, 'absent')).toMatchObject({ routesExported: 0 });
    expect((await sessionOf(driver, 'absent')).state).not.toBe('established');
  });

  it('sends a peer that speaks one family only the routes of that', async () => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4'] });
    await driver.configure(speakerModel([world.peerOf(peer, { families: ['ipv4', 'ipv6'] })]));
    await driver.apply(routesModel(routes), never);
    await peer.waitRoutes(4);
    const session = await waitSession(driver, 'four routes', ({ routesExported }) => routesExported === 4);
    expect(session).toMatchObject({ state: 'established', families: ['ipv4'] });
    expect(session.lastError).toContain('takes no ipv6 routes');
  });

  it('refuses what a peer may not be sent, and BFD where FRR has none, before FRR receives it', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const before = await world.frr.command('show running-config');
    await driver.configure(speakerModel([world.peerOf(peer, { maxPrefixesOut: 3, name: 'Edge' })]));
    await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({
      code: 'max_prefixes_exceeded',
      message: expect.stringContaining('the peer Edge would be sent 4 routes') as string,
    });
    await driver.configure(speakerModel([world.peerOf(peer, { bfd: true })]));
    await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({ code: 'bfd_missing' });
    expect(await world.frr.command('show running-config')).toBe(before);
  });
});

describe.skipIf(requireDaemon('frr-bgpd') === null)('an FRR without a BGP instance of its own', () => {
  it('is left alone, since a view alone would have it crash at a call', async () => {
    const world = await startWorld({ bare: true });
    try {
      const driver = world.driver();
      await driver.configure(speakerModel([]));
      await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({
        code: 'instance_missing',
      });
      expect(await world.frr.command('show running-config')).not.toContain('pcast_');
    } finally {
      await world.stop();
    }
  });
});
