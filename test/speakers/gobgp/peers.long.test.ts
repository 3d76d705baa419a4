import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  receivedBy,
  mixedRoutes as routes,
  never,
  routesModel,
  sessionOf,
  waitSession,
} from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

describe.skipIf(requireDaemon('gobgpd') === null)('a peer of a speaker in GoBGP', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  it('speaks within its AS and as another one, where a peer has it so', async () => {
    const driver = world.driver();
    const own = loopbackAddress();
    const internal = await startBird({
      listen: { address: own, port: await freePort(own) },
      ...{ routerId: own, localAsn: SPEAKER_ASN },
      neighbors: [{ address: world.address, port: world.port, asn: SPEAKER_ASN }],
    });
    try {
      const other = await world.peer({ asn: 64_999 });
      await driver.configure(
        world.modelOf([
          world.peerOf(internal, { multihop: null }),
          world.peerOf(other, { localAsn: 64_999 }),
        ]),
      );
      await driver.apply(routesModel(routes), never);
      await internal.waitRoutes(4);
      await other.waitRoutes(4);
      expect((await internal.routes())[0]).toMatchObject({ asPath: '', nextHop: world.address });
      expect((await other.routes())[0]).toMatchObject({ asPath: '64999', nextHop: world.address });
    } finally {
      await internal.stop();
    }
  });

  it('follows changes of peers and of what they receive, and keeps the sessions of the others', async () => {
    const driver = world.driver();
    const [stays, goes, comes] = [await world.peer(), await world.peer(), await world.peer()];
    await driver.configure(world.modelOf([world.peerOf(stays), world.peerOf(goes)]));
    await driver.apply(routesModel(routes), never);
    await stays.waitRoutes(4);
    await goes.waitRoutes(4);
    const { id } = world.peerOf(stays);
    const { since } = await waitSession(driver, 'it', ({ state }) => state === 'established', id);
    await driver.configure(
      world.modelOf([
        world.peerOf(stays, { labels: ['65000:1'], maxPrefixesOut: 7, nextHopIpv4: '203.0.113.1' }),
        world.peerOf(comes),
      ]),
    );
    await comes.waitRoutes(4);
    await stays.waitRoutes(2);
    await goes.waitRoutes(0);
    await waitFor(async () => (await stays.routes())[0]?.nextHop === '203.0.113.1', { what: 'the next hop' });
    expect(await receivedBy(stays)).toEqual({ '10.0.0.0/8': ['65000:1'], '172.16.0.0/12': ['65000:1'] });
    expect(await sessionOf(driver, id)).toMatchObject({ state: 'established', since, routesExported: 2 });
    // NO_EXPORT is a matter of policy as well.
    await driver.apply(routesModel(routes, { noExport: true }), never);
    await waitFor(async () => (await receivedBy(comes))['198.51.100.0/24']?.[0] === '65535:65281', {
      what: 'NO_EXPORT',
    });
    expect(await sessionOf(driver, id)).toMatchObject({ state: 'established', since });
    const definitions = await world.gobgp.command('policy');
    const generations = new Set([...definitions.matchAll(/pcast-\w+-(\w+)-export/g)].map(([, hash]) => hash));
    expect(generations.size).toBe(1);
  });

  it('signs sessions by MD5 with any password that it accepts', async () => {
    const password = `#it's; } a "secret\\`;
    const driver = world.driver();
    const address = loopbackAddress();
    const port = await freePort(address);
    const peer = await startBird({
      listen: { address, port },
      ...{ routerId: address, localAsn: 65_001, neighbors: [] },
      extraConfig: `protocol bgp n1 {
        local ${address} port ${port} as 65001; neighbor ${world.address} port ${world.port} as 64512;
        strict bind; multihop; password "${password.replace('"', '')}"; ipv4 { import all; export none; };
      }`,
    });
    try {
      const model = world.peerOf(peer, { password: password.replace('"', '') });
      await driver.configure(world.modelOf([model]));
      await driver.apply(routesModel(routes), never);
      const session = await waitSession(driver, 'routes', ({ routesExported }) => routesExported === 4);
      expect(session.state).toBe('established');
      await driver.configure(world.modelOf([{ ...model, password }]));
      const wrong = await waitSession(driver, 'the session to end', ({ state }) => state !== 'established');
      expect(wrong.routesExported).toBe(0);
    } finally {
      await peer.stop();
    }
  });

  it('lets nothing in, and takes itself out or stays as it is closed', async () => {
    const driver = world.driver();
    const own = loopbackAddress();
    const peer = await startBird({
      listen: { address: own, port: await freePort(own) },
      ...{ routerId: own, localAsn: 65_001 },
      neighbors: [{ address: world.address, port: world.port, asn: SPEAKER_ASN }],
      announce: [{ prefix: '100.64.0.0/10' }],
    });
    try {
      await driver.configure(world.modelOf([world.peerOf(peer)]));
      await driver.apply(routesModel(routes), never);
      await peer.waitRoutes(4);
      await waitSession(driver, 'a route of the peer', ({ routesReceived }) => routesReceived === 1);
      expect(await world.gobgp.command('global', 'rib')).not.toContain('100.64.0.0/10');
      await driver.close(true);
      expect(await peer.routeCount()).toBe(4);
      const next = world.newProcess();
      await next.configure(world.modelOf([world.peerOf(peer)]));
      await next.apply(routesModel(routes), never);
      await next.close(false);
      await peer.waitRoutes(0);
      expect(await world.gobgp.command('global', 'rib')).toContain('Network not in table');
      expect(await world.gobgp.command('policy')).not.toContain('pcast');
      expect(await world.gobgp.command('neighbor')).not.toContain(own);
    } finally {
      await peer.stop();
    }
  });

  it('says of each peer what is wrong with it', async () => {
    const driver = world.driver();
    const absent = { address: loopbackAddress(), port: await freePort(), remoteAsn: 65_009 };
    const peer = await world.peer({ families: ['ipv4'] });
    const wrong = await world.peer();
    await driver.configure(
      world.modelOf([
        world.peerOf(peer, { id: 'half', families: ['ipv4', 'ipv6'] }),
        world.peerOf(wrong, { id: 'wrong', remoteAsn: 65_077 }),
        world.peerOf(peer, { ...absent, id: 'absent' }),
        world.peerOf(peer, { ...absent, address: '192.0.2.77', id: 'refused', bfd: true }),
      ]),
    );
    await driver.apply(routesModel(routes), never);
    await peer.waitRoutes(4);
    const half = await waitSession(driver, 'it', ({ routesExported }) => routesExported === 4, 'half');
    expect(half).toMatchObject({ state: 'established', families: ['ipv4'] });
    expect(half.lastError).toContain('takes no ipv6 routes');
    expect(await sessionOf(driver, 'absent')).toMatchObject({ routesExported: 0, routesReceived: 0 });
    const refused = await sessionOf(driver, 'refused');
    expect(refused).toMatchObject({ state: 'idle' });
    expect(refused.lastError).toContain('BFD');
    const ended = await waitSession(driver, 'an error', ({ lastError }) => lastError !== null, 'wrong');
    expect(ended.lastError).toMatch(/NOTIFICATION.*GoBGP's log/);
  });

  it('refuses what a peer may not be sent, before GoBGP receives it', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer, { maxPrefixesOut: 3, name: 'Edge' })]));
    await expect(driver.apply(routesModel(routes), never)).rejects.toMatchObject({
      code: 'max_prefixes_exceeded',
      message: expect.stringMatching(
        /the peer Edge would be sent 4 routes.* because it is unknown which of them this one holds/,
      ) as string,
    });
    expect(await world.gobgp.command('policy')).not.toContain('pcast');
  });
});
