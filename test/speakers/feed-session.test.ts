import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FeedSession, feedAddress, feedAsn, feedSpeakerId } from '../../src/speakers/feed-session.ts';
import type { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { startBird, type Bird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { bigTable, receivedBy, mixedRoutes, never, routesModel, startEngine } from './builtin/models.ts';

const ASN = 64_512;

it('calls from an address of the speaker, with an AS number that is not the daemon’s', () => {
  expect(feedAddress('one')).toMatch(/^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/);
  expect(feedAddress('one')).toBe(feedAddress('one'));
  expect(feedAddress('one')).not.toBe(feedAddress('two'));
  expect(feedAsn(feedAsn(ASN))).not.toBe(feedAsn(ASN));
});

describe.skipIf(requireDaemon('bird') === null)('the feed into a daemon', () => {
  let bird: Bird;
  let engine: BuiltinEngine;
  let feed: FeedSession;

  const open = async (options: { restartTime?: number } = {}): Promise<void> => {
    engine = await startEngine();
    const daemon = { address: bird.address, port: bird.port };
    feed = new FeedSession({
      ...{ driver: engine.driver(feedSpeakerId('one')), speakerId: 'one', daemon },
      ...options,
    });
    await feed.configure(ASN);
  };

  beforeEach(async () => {
    const address = loopbackAddress();
    const neighbor = { address: feedAddress('one'), port: 179, asn: feedAsn(ASN), passive: true };
    bird = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: '192.0.2.2', localAsn: ASN },
      neighbors: [{ ...neighbor, families: ['ipv4', 'ipv6'], gracefulRestart: true }],
    });
  });
  afterEach(async () => {
    await engine?.close(true);
    await bird?.stop();
  });

  it('sends every route with its communities but without NO_EXPORT, then only the difference', async () => {
    await open();
    expect(await feed.apply(routesModel(mixedRoutes, { noExport: true }), never)).toEqual({
      ...{ announced: 5, withdrawn: 0, changed: 0 },
    });
    await bird.waitRoutes(5);
    expect(await receivedBy(bird)).toMatchObject({
      '192.168.0.0/16': ['65000:2', '65000:1:2'],
      '198.51.100.0/24': [],
      '2001:db8::/32': ['65000:1', '65535:666'],
    });
    expect(await feed.status()).toMatchObject({ state: 'established', routesExported: 5 });
    await feed.apply(routesModel(bigTable(20_000, ['65000:1'])), never);
    await bird.waitRoutes(20_000);
    const before = bird.updates().length;
    await feed.apply(routesModel(bigTable(20_001, ['65000:1'])), never);
    await bird.waitRoutes(20_001);
    expect(bird.updates().length - before).toBe(1);
  });

  it('leaves the daemon its routes for as long as the protocol can say', async () => {
    await open();
    await feed.apply(routesModel(mixedRoutes), never);
    await bird.waitRoutes(5);
    const offered = (await bird.command('show protocols all')).map(({ text }) => text.trim());
    expect(offered).toEqual(expect.arrayContaining(['Restart time: 4095', 'LL stale time: 16777215']));
    await engine.close(true);
    const isAway = async (): Promise<boolean> => (await bird.session()).state !== 'established';
    await waitFor(isAway, { what: 'the session to end' });
    expect(await bird.routeCount()).toBe(5);
  });

  it('says that the daemon did not take the routes, and why', async () => {
    await open();
    await bird.stop();
    const soon = AbortSignal.timeout(1_000);
    await expect(feed.apply(routesModel(mixedRoutes), soon)).rejects.toThrow();
    expect(await feed.status()).toMatchObject({ routesExported: 0 });
    expect((await feed.status())?.lastError).toMatch(/connection refused/);
  });
});
