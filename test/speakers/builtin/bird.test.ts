import { afterEach, describe, expect, it } from 'vitest';
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import type { PeerModel, SpeakerDriver } from '../../../src/speakers/speaker.ts';
import { startBird } from '../../daemons/bird/bird.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { BirdOptions } from '../../daemons/bird/bird-config.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  bigTable,
  receivedBy,
  mixedRoutes as routes,
  never,
  peerModel,
  routesModel,
  sessionOf,
  speakerModel,
  startEngine,
  tableOf,
  waitSession,
} from './models.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function engineUp(): Promise<BuiltinEngine> {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  return engine;
}

/** A BIRD that waits to be called. */
async function birdUp(neighbor: Partial<Neighbor> = {}, options: Partial<BirdOptions> = {}): Promise<Bird> {
  const bird = await startBird({
    listen: { address: loopbackAddress(), port: await freePort() },
    routerId: '192.0.2.1',
    localAsn: 65_001,
    neighbors: [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true, ...neighbor }],
    ...options,
  });
  stops.push(() => bird.stop());
  return bird;
}

const peerOf = (bird: Bird, changes: Partial<PeerModel> = {}): PeerModel =>
  peerModel({ id: 'bird', address: bird.address, port: bird.port, remoteAsn: bird.localAsn, ...changes });

describe.skipIf(requireDaemon('bird') === null)('a BIRD peer', () => {
  it('receives every route with its communities', async () => {
    const driver = (await engineUp()).driver('s');
    const bird = await birdUp({ families: ['ipv4', 'ipv6'] });
    await driver.configure(speakerModel([peerOf(bird, { families: ['ipv4', 'ipv6'] })]));
    const outcome = await driver.apply(routesModel(routes, { noExport: true }), never);
    expect(outcome).toEqual({ announced: 5, withdrawn: 0, changed: 0 });
    await bird.waitRoutes(5);
    expect(await receivedBy(bird)).toEqual({
      '10.0.0.0/8': ['65000:1', '65535:65281'],
      '172.16.0.0/12': ['65000:1', '65000:2', '65535:65281'],
      '192.168.0.0/16': ['65000:2', '65535:65281', '65000:1:2'],
      '198.51.100.0/24': ['65535:65281'],
      '2001:db8::/32': ['65000:1', '65535:666', '65535:65281'],
    });
    const [first, , , , last] = await bird.routes();
    expect(first).toMatchObject({ nextHop: '127.0.0.1', asPath: String(SPEAKER_ASN) });
    expect(last).toMatchObject({ nextHop: '2001:db8:ffff::1' });
    const session = await waitSession(
      driver,
      'five routes exported',
      ({ routesExported }) => routesExported === 5,
    );
    expect(session).toMatchObject({ state: 'established', lastError: null });
  });

  it('receives only the communities it is configured for, and no others beside them', async () => {
    const driver = (await engineUp()).driver('s');
    const bird = await birdUp();
    await driver.configure(speakerModel([peerOf(bird, { labels: ['65000:2'], nextHopIpv4: '203.0.113.5' })]));
    await driver.apply(routesModel(routes), never);
    await bird.waitRoutes(2);
    expect(await receivedBy(bird)).toEqual({ '172.16.0.0/12': ['65000:2'], '192.168.0.0/16': ['65000:2'] });
    expect((await bird.routes())[0]).toMatchObject({ nextHop: '203.0.113.5' });
  });

  it('is sent the difference of an apply, without a new session', async () => {
    const driver = (await engineUp()).driver('s');
    const bird = await birdUp();
    await driver.configure(speakerModel([peerOf(bird)]));
    await driver.apply(routesModel(bigTable(1_000, ['65000:1'])), never);
    await bird.waitRoutes(1_000);
    const { since } = await sessionOf(driver);
    const before = bird.updates().length;
    // 990 stay, 10 go, 10 come.
    expect(await driver.apply(routesModel(bigTable(1_000, ['65000:1'], 10)), never)).toEqual({
      announced: 10,
      withdrawn: 10,
      changed: 0,
    });
    const reported = await waitFor(
      () => {
        const updates = bird.updates().slice(before);
        return updates.reduce((sum, { withdrawn }) => sum + withdrawn.length, 0) === 10 && updates;
      },
      { what: 'ten withdrawals' },
    );
    expect(reported.map(({ announced, withdrawn }) => [announced.length, withdrawn.length])).toEqual([
      [10, 0],
      [0, 10],
    ]);
    expect(await sessionOf(driver)).toMatchObject({ since, routesExported: 1_000 });
  });

  it('that takes that many routes and no more keeps its session while all of them are exchanged', async () => {
    const driver = (await engineUp()).driver('s');
    const bird = await birdUp({ importLimit: 100 });
    await driver.configure(speakerModel([peerOf(bird, { maxPrefixesOut: 100 })]));
    await driver.apply(routesModel(bigTable(100, ['65000:1'])), never);
    await bird.waitRoutes(100);
    const { since } = await sessionOf(driver);
    await driver.apply(routesModel(bigTable(100, ['65000:1'], 100)), never);
    const isOver = async (): Promise<boolean> =>
      '16.0.199.0/24' in (await receivedBy(bird)) || (await sessionOf(driver)).since !== since;
    await waitFor(isOver, { what: 'the last route, or the end of the session' });
    expect(await sessionOf(driver)).toMatchObject({ since, lastError: null, routesExported: 100 });
    await bird.waitRoutes(100);
  });

  it('follows changes of its communities and next hop without a new session, and of its families with one', async () => {
    const driver = (await engineUp()).driver('s');
    const bird = await birdUp({ families: ['ipv4', 'ipv6'] });
    await driver.configure(speakerModel([peerOf(bird)]));
    await driver.apply(routesModel(routes), never);
    await bird.waitRoutes(4);
    const { since } = await sessionOf(driver);
    await driver.configure(speakerModel([peerOf(bird, { labels: ['65000:1'], nextHopIpv4: '203.0.113.6' })]));
    await bird.waitRoutes(2);
    expect((await bird.routes()).map(({ nextHop }) => nextHop)).toEqual(['203.0.113.6', '203.0.113.6']);
    expect((await sessionOf(driver)).since).toBe(since);
    await driver.configure(speakerModel([peerOf(bird, { families: ['ipv4', 'ipv6'] })]));
    await bird.waitRoutes(5);
    expect((await sessionOf(driver)).since).not.toBe(since);
  });

  it('that lost its routes is sent them again when it asks (RFC 2918)', async () => {
    const driver = (await engineUp()).driver('s');
    const bird = await birdUp();
    await driver.configure(speakerModel([peerOf(bird)]));
    await driver.apply(routesModel(bigTable(100, ['65000:1'])), never);
    await bird.waitRoutes(100);
    const before = (await bird.session()).channels.ipv4!.updatesReceived;
    await bird.command('reload in n1');
    await waitFor(async () => (await bird.session()).channels.ipv4!.updatesReceived === before + 100, {
      what: 'the routes again',
    });
    expect((await sessionOf(driver)).routesExported).toBe(100);
  });

  it('may call, and is distinguished by its AS number where two tenants peer with one address', async () => {
    const engine = await engineUp();
    const port = await freePort();
    const address = loopbackAddress();
    const passive = { address, passive: true };
    const drivers = await Promise.all(
      [1, 2].map(async (tenant) => {
        const driver = engine.driver(`s${tenant}`);
        const peer = peerModel({ ...passive, id: `p${tenant}`, remoteAsn: 65_000 + tenant });
        await driver.configure(speakerModel([peer], { speakerId: `s${tenant}` }));
        await driver.apply(routesModel(tableOf({ [`10.${tenant}.0.0/16`]: [] })), never);
        return driver;
      }),
    );
    const bird = await startBird({
      listen: { address, port },
      routerId: '192.0.2.1',
      localAsn: 65_002,
      neighbors: [{ address: '127.0.0.1', port: engine.address!.port, asn: SPEAKER_ASN }],
    });
    stops.push(() => bird.stop());
    await bird.waitRoutes(1);
    expect(Object.keys(await receivedBy(bird))).toEqual(['10.2.0.0/16']);
    expect((await sessionOf(drivers[1]!)).state).toBe('established');
    expect((await sessionOf(drivers[0]!)).state).toBe('active');
  });

  it('is sent a Cease when it is no longer a peer, and when the speaker stops', async () => {
    const engine = await engineUp();
    const driver = engine.driver('s');
    const first = await birdUp();
    const second = await birdUp();
    const peers = [peerOf(first, { id: 'first' }), peerOf(second, { id: 'second' })];
    await driver.configure(speakerModel(peers));
    await driver.apply(routesModel(routes), never);
    await first.waitRoutes(4);
    await second.waitRoutes(4);
    await driver.configure(speakerModel(peers.slice(1)));
    await first.waitRoutes(0);
    expect((await first.session()).lastError).toContain('Peer de-configured');
    expect(await second.routeCount()).toBe(4);
    await driver.close(false);
    await second.waitRoutes(0);
    expect((await second.session()).lastError).toContain('Administrative shutdown');
  });

  it('that sends routes has them counted and ignored', async () => {
    const driver = (await engineUp()).driver('s');
    const announce = ['203.0.113.0/24', '198.51.100.0/24'].map((prefix) => ({ prefix }));
    const bird = await birdUp({}, { announce });
    await driver.configure(speakerModel([peerOf(bird)]));
    await driver.apply(routesModel(tableOf({})), never);
    await waitSession(driver, 'two routes received', ({ routesReceived }) => routesReceived === 2);
    expect((await sessionOf(driver)).routesExported).toBe(0);
  });

  it('with another AS number than configured is refused, and both sides say why', async () => {
    const driver: SpeakerDriver = (await engineUp()).driver('s');
    const bird = await birdUp();
    await driver.configure(speakerModel([peerOf(bird, { remoteAsn: 65_009 })]));
    await driver.apply(routesModel(routes), never);
    const session = await waitSession(
      driver,
      'an error',
      ({ lastError }) => lastError !== null && !lastError.includes('refused'),
    );
    expect(session.lastError).toContain('the peer says AS 65001, configured is AS 65009');
  });
});
