// The builtin speaker beside every other implementation: each ends with the same routes, and tshark finds no fault in a packet.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { startBird } from '../daemons/bird/bird.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import { sortRoutes } from '../daemons/daemon.ts';
import type { Daemon, DaemonOptions, Route } from '../daemons/daemon.ts';
import { startFrr } from '../daemons/frr/frr.ts';
import { startGobgp } from '../daemons/gobgp/gobgp.ts';
import { requireOpenbgpd, startOpenbgpd } from '../daemons/openbgpd/openbgpd.ts';
import { freePort, freePorts, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { isThorough } from '../fuzz.ts';
import { requireTshark, startCapture } from '../daemons/tshark.ts';
import type { Capture } from '../daemons/tshark.ts';
import {
  SPEAKER_ASN,
  bigTable,
  never,
  peerModel,
  routesModel,
  speakerModel,
  startEngine,
  tableOf,
  waitSession,
} from './builtin/models.ts';

const families = ['ipv4', 'ipv6'] as const;
const nextHops = { nextHopIpv4: '192.0.2.179', nextHopIpv6: '2001:db8::179' };

const heardBefore = {
  '10.0.0.0/8': ['65000:1'],
  '172.16.0.0/12': ['65000:1', '65000:2', '65000:1:2'],
  '192.168.4.0/22': ['65000:2'],
  '198.51.100.7/32': ['4200000000:1:4294967295'],
  '203.0.113.0/24': [],
  '2001:db8:1::/48': ['65000:1'],
  '2001:db8:2::/48': ['65000:2', '65000:1:2'],
  '2001:db8:3::1/128': [],
};
/** The same but for a route that goes, one that comes, and one that changes, in each family. */
const heardAfter = {
  '10.0.0.0/8': ['65000:1'],
  '172.16.0.0/12': ['65000:2'],
  '198.51.100.7/32': ['4200000000:1:4294967295'],
  '198.51.100.128/25': ['65000:3'],
  '203.0.113.0/24': [],
  '2001:db8:1::/48': ['65000:3'],
  '2001:db8:3::1/128': [],
  '2001:db8:4::/48': ['65000:1'],
};

function expected(asPath: string, routes: Record<string, string[]>): Route[] {
  return sortRoutes(
    Object.entries(routes).map(([prefix, labels]) => ({
      prefix,
      nextHop: prefix.includes(':') ? nextHops.nextHopIpv6 : nextHops.nextHopIpv4,
      asPath,
      // Every route carries NO_EXPORT.
      communities: [...labels.filter((label) => label.split(':').length === 2), '65535:65281'],
      largeCommunities: labels.filter((label) => label.split(':').length === 3),
    })),
  );
}

const cleanups: (() => unknown)[] = [];
let engine: BuiltinEngine;
let port: number;

beforeEach(async () => {
  port = await freePort();
  engine = await startEngine({ listen: { host: '127.0.0.1', port } });
  cleanups.push(() => engine.close(false));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started<T extends Daemon>(daemon: Promise<T>): Promise<T> {
  const running = await daemon;
  cleanups.push(() => running.stop());
  return running;
}

const subjects: {
  name: string;
  program: string | null;
  start: (options: DaemonOptions) => Promise<Daemon>;
}[] = [
  { name: 'BIRD', program: requireDaemon('bird'), start: startBird },
  { name: 'FRR', program: requireDaemon('frr-bgpd'), start: startFrr },
  { name: 'GoBGP', program: requireDaemon('gobgpd'), start: startGobgp },
  { name: 'OpenBGPD', program: requireOpenbgpd(), start: startOpenbgpd },
];
const tshark = requireTshark();
/** Of each daemon one that waits and one that calls, of which one is eBGP, of an AS number of four octets, and the other iBGP. */
const sessions = [
  {
    session: 'eBGP that it calls for',
    asn: 4_200_000_001,
    daemonCalls: true,
    asPath: String(SPEAKER_ASN),
  },
  { session: 'iBGP that it waits for', asn: SPEAKER_ASN, daemonCalls: false, asPath: '' },
  ...(isThorough
    ? [
        { session: 'eBGP that it waits for', asn: 65_001, daemonCalls: false, asPath: String(SPEAKER_ASN) },
        { session: 'iBGP that it calls for', asn: SPEAKER_ASN, daemonCalls: true, asPath: '' },
      ]
    : []),
];

describe.each(subjects)('$name', ({ program, start }) => {
  it.skipIf(program === null).each(sessions)(
    'ends with the same routes over $session',
    async ({ asn, daemonCalls, asPath }) => {
      const address = loopbackAddress();
      const daemonPort = await freePort(address);
      const capture: Capture | null =
        tshark === null ? null : await startCapture({ ports: [port, daemonPort] });
      const driver = engine.driver('s');
      const peer = peerModel({
        address,
        port: daemonPort,
        remoteAsn: asn,
        families,
        passive: daemonCalls,
        ...nextHops,
      });
      await driver.configure(speakerModel([peer]));
      const applied = driver.apply(routesModel(tableOf(heardBefore), { noExport: true }), never);
      const daemon = await started(
        start({
          listen: { address, port: daemonPort },
          routerId: '192.0.2.1',
          localAsn: asn,
          neighbors: [{ address: '127.0.0.1', port, asn: SPEAKER_ASN, families, passive: !daemonCalls }],
        }),
      );
      await applied;
      await daemon.waitRoutes(8);
      expect(await daemon.routes()).toEqual(expected(asPath, heardBefore));

      expect(await driver.apply(routesModel(tableOf(heardAfter), { noExport: true }), never)).toEqual({
        announced: 2,
        withdrawn: 2,
        changed: 2,
      });
      const withdrawn = async (): Promise<boolean> =>
        JSON.stringify(await daemon.routes()) === JSON.stringify(expected(asPath, heardAfter));
      await expect.poll(withdrawn).toBe(true);
      expect(
        (await waitSession(driver, 'the count', ({ routesExported }) => routesExported === 8)).state,
      ).toBe('established');

      await engine.close(false);
      await daemon.waitRoutes(0);
      const result = await capture?.stop();
      expect(result?.malformed ?? []).toEqual([]);
      if (result !== undefined) expect(result.messages.update).toBeGreaterThanOrEqual(8);
    },
    90_000,
  );
});

describe.skipIf(requireDaemon('bird') === null)('BIRD, once more', () => {
  const birdUp = (address: string, birdPort: number, extra: object = {}): Promise<Bird> =>
    started(
      startBird({
        listen: { address, port: birdPort },
        routerId: '192.0.2.1',
        localAsn: 65_001,
        neighbors: [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true, ...extra }],
        recordUpdates: false,
      }),
    );

  it('receives both families over IPv6, with this speaker as next hop', async () => {
    const [birdPort, ownPort] = (await freePorts(2, '::1')) as [number, number];
    const bird = await birdUp('::1', birdPort, { address: '::1', port: ownPort, families });
    const driver = engine.driver('s');
    const peer = peerModel({ address: '::1', localAddress: '::1', port: birdPort, families });
    await driver.configure(speakerModel([peer], { localIpv4: '192.0.2.9' }));
    await driver.apply(routesModel(tableOf(heardBefore)), never);
    await bird.waitRoutes(8);
    expect([...new Set((await bird.routes()).map(({ nextHop }) => nextHop))].sort()).toEqual([
      '192.0.2.9',
      '::1',
    ]);
  });

  it.each([false, true])(
    'takes 100,000 routes of 50 communities, with extended messages: %s',
    async (extendedMessages) => {
      const address = loopbackAddress();
      const birdPort = await freePort(address);
      const bird = await birdUp(address, birdPort, { extendedMessages });
      const driver = engine.driver('s');
      await driver.configure(speakerModel([peerModel({ address, port: birdPort })]));
      const labels = Array.from({ length: 50 }, (_, i) => `65000:${i + 1}`);
      await driver.apply(routesModel(bigTable(100_000, labels)), never);
      await bird.waitRoutes(100_000);
      const session = await waitSession(
        driver,
        'the count',
        ({ routesExported }) => routesExported === 100_000,
      );
      // 2,000 routes of 4 octets are 2 messages of 4,096, or one of 65,535; with one route a message it would be 100,000.
      expect(session.updatesSent).toBeLessThanOrEqual(50 * (extendedMessages ? 2 : 3) + 10);
      const [counted] = await bird.command('show route where (65000,7) ~ bgp_community count');
      expect(counted?.text).toContain('2000 of 100000');
    },
  );

  it('that was stopped for a while ends with the latest routes', async () => {
    const address = loopbackAddress();
    const birdPort = await freePort(address);
    const bird = await birdUp(address, birdPort);
    const quick = await startEngine({ timeout: 100 });
    cleanups.push(() => quick.close(false));
    const driver = quick.driver('s');
    await driver.configure(speakerModel([peerModel({ address, port: birdPort })]));
    await driver.apply(routesModel(bigTable(10, ['65000:1'])), never);
    await bird.waitRoutes(10);
    bird.pause();
    for (let i = 1; i <= 5; i++) await driver.apply(routesModel(bigTable(300_000, [`65000:${i}`], i)), never);
    await waitSession(
      driver,
      'to be reported so',
      ({ lastError }) => lastError?.includes('reads slowly') === true,
    );
    bird.resume();
    await bird.waitRoutes(300_000);
    const done = async (): Promise<string> =>
      (await bird.command('show route where (65000,5) ~ bgp_community count'))[0]?.text ?? '';
    await expect.poll(done).toContain('300000 of 300000');
    expect((await bird.session()).state).toBe('established');
  });
});
