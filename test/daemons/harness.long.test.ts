// Every daemon of this folder starts, holds a session with BIRD, and both ends agree on the routes of the other.
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startBird } from './bird/bird.ts';
import type { Daemon, DaemonOptions, Route } from './daemon.ts';
import { startFrr } from './frr/frr.ts';
import { startGobgp } from './gobgp/gobgp.ts';
import { connectNetns, createNetns, requireNetns } from './machine/netns.ts';
import { requireOpenbgpd, startOpenbgpd } from './openbgpd/openbgpd.ts';
import { freePort, freePorts, loopbackAddress } from './machine/ports.ts';
import { requireDaemon } from './programs.ts';
import { requireTshark, startCapture } from './tshark.ts';
import { waitFor } from './wait.ts';

const bird = requireDaemon('bird');
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started<T extends Daemon>(daemon: Promise<T>): Promise<T> {
  const running = await daemon;
  cleanups.push(() => running.stop());
  return running;
}

const families = ['ipv4', 'ipv6'] as const;
const announce = [
  {
    prefix: '198.51.100.0/24',
    communities: ['65535:65284', '65000:100'],
    largeCommunities: ['4200000000:1:2'],
  },
  { prefix: '203.0.113.128/25' },
  { prefix: '2001:db8:1::/48', communities: ['65000:6'] },
];

/** What the other end holds of `announce`. */
function learnt(asPath: string): Route[] {
  const none = { communities: [], largeCommunities: [] };
  return [
    {
      prefix: '198.51.100.0/24',
      nextHop: '192.0.2.179',
      asPath,
      communities: ['65000:100', '65535:65284'],
      largeCommunities: ['4200000000:1:2'],
    },
    { prefix: '2001:db8:1::/48', nextHop: '2001:db8::179', asPath, ...none, communities: ['65000:6'] },
    { prefix: '203.0.113.128/25', nextHop: '192.0.2.179', asPath, ...none },
  ];
}

interface Subject {
  name: string;
  program: string | null;
  start: (options: DaemonOptions) => Promise<Daemon>;
}

const subjects: Subject[] = [
  { name: 'BIRD', program: bird, start: startBird },
  { name: 'FRR', program: requireDaemon('frr-bgpd'), start: startFrr },
  { name: 'GoBGP', program: requireDaemon('gobgpd'), start: startGobgp },
  { name: 'OpenBGPD', program: requireOpenbgpd(), start: startOpenbgpd },
];

describe.each(subjects)('$name', ({ program, start }) => {
  const session = async (asn: number): Promise<[Daemon, Daemon]> => {
    const [address, birdAddress] = [loopbackAddress(), loopbackAddress()];
    const port = await freePort(address);
    const subject = await started(
      start({
        listen: { address, port },
        routerId: '192.0.2.1',
        localAsn: asn,
        announce,
        neighbors: [{ address: birdAddress, port, asn: 65001, families, passive: true }],
      }),
    );
    const peer = await started(
      startBird({
        listen: { address: birdAddress, port },
        routerId: '192.0.2.2',
        localAsn: 65001,
        announce,
        neighbors: [{ name: 'subject', address, port, asn, families }],
      }),
    );
    return [subject, peer];
  };

  it.skipIf(program === null || bird === null)('exchanges routes with BIRD over eBGP', async () => {
    const [subject, peer] = await session(65002);
    await Promise.all([subject.waitEstablished(), peer.waitEstablished('subject')]);
    await Promise.all([subject.waitRoutes(3), peer.waitRoutes(3)]);

    expect(await subject.routes()).toEqual(learnt('65001'));
    expect(await peer.routes('subject')).toEqual(learnt('65002'));
    expect(await subject.session('n1')).toEqual(expect.objectContaining({ state: 'established' }));

    await peer.stop();
    await waitFor(async () => (await subject.session()).state !== 'established', {
      what: 'the session to end',
    });
    expect((await subject.session()).lastError).toMatch(/cease|administrative/i);
    await subject.waitRoutes(0);
  });

  it.skipIf(program === null || bird === null)('exchanges routes with BIRD over iBGP', async () => {
    const [subject, peer] = await session(65001);
    await Promise.all([subject.waitRoutes(3), peer.waitRoutes(3)]);
    expect(await subject.routes()).toEqual(learnt(''));
    expect(await peer.routes()).toEqual(learnt(''));
  });
});

describe.skipIf(bird === null)("BIRD's records", () => {
  it('report every UPDATE and every change of a route, over IPv6', async () => {
    const [left, right] = (await freePorts(2, '::1')) as [number, number];
    const sender = await started(
      startBird({
        listen: { address: '::1', port: left },
        routerId: '192.0.2.1',
        localAsn: 65001,
        announce,
        neighbors: [{ address: '::1', port: right, asn: 65002, families, extendedMessages: true }],
      }),
    );
    const receiver = await started(
      startBird({
        listen: { address: '::1', port: right },
        routerId: '192.0.2.2',
        localAsn: 65002,
        logRoutes: true,
        neighbors: [{ name: 'sender', address: '::1', port: left, asn: 65001, families, passive: true }],
      }),
    );
    await receiver.waitRoutes(3);
    const ends = (): number => receiver.updates().filter((update) => update.endOfRib).length;
    await waitFor(() => ends() === 2, { what: 'End-of-RIB of both families' });
    expect(receiver.updates().flatMap((update) => update.withdrawn)).toEqual([]);

    await sender.configure({ announce: announce.slice(1) });
    await receiver.waitRoutes(2);
    const updates = receiver.updates();
    expect(updates.flatMap((update) => update.announced).sort()).toEqual(
      announce.map(({ prefix }) => prefix).sort(),
    );
    expect(updates.flatMap((update) => update.withdrawn)).toEqual(['198.51.100.0/24']);
    expect(new Set(updates.map((update) => update.from))).toEqual(new Set(['::1']));
    expect(receiver.routeChanges().filter(({ change }) => change === 'removed')).toEqual([
      { neighbor: 'sender', change: 'removed', prefix: '198.51.100.0/24' },
    ]);
    expect((await receiver.session('sender')).channels.ipv4).toMatchObject({
      imported: 1,
      updatesReceived: 2,
      withdrawsReceived: 1,
    });
  });
});

describe.skipIf(bird === null || requireTshark() === null)('tshark', () => {
  it('counts the messages of a session, and finds the packet that is malformed', async () => {
    const [address, peerAddress] = [loopbackAddress(), loopbackAddress()];
    const port = await freePort(address);
    const capture = await startCapture({ ports: [port] });
    const common = { localAsn: 65001, routerId: '192.0.2.1' };
    const neighbor = { port, asn: 65001, families };
    const left = await started(
      startBird({
        ...common,
        announce,
        listen: { address, port },
        neighbors: [{ ...neighbor, address: peerAddress }],
      }),
    );
    const right = await started(
      startBird({
        ...common,
        routerId: '192.0.2.2',
        listen: { address: peerAddress, port },
        neighbors: [{ ...neighbor, address, passive: true }],
      }),
    );
    await right.waitRoutes(3);

    // A KEEPALIVE that says it is 18 octets long: less than its own header (RFC 4271 section 6.1).
    const stranger = connect({ host: left.address, port });
    stranger.on('error', () => undefined);
    stranger.end(Buffer.from('ff'.repeat(16) + '001204', 'hex'));
    await new Promise((resolve) => stranger.once('close', resolve));

    const result = await capture.stop();
    expect(result.dropped).toBe(0);
    expect(result.messages.open).toBeGreaterThanOrEqual(2);
    expect(result.messages.update).toBeGreaterThanOrEqual(4);
    expect(result.malformed.map(({ from }) => from)).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
  });
});

describe.skipIf(bird === null || requireNetns() === null)('network namespaces', () => {
  it('connect daemons that have an address each and the port of BGP', async () => {
    const [left, right] = [createNetns(), createNetns()];
    cleanups.push(
      () => {
        left.remove();
      },
      () => {
        right.remove();
      },
    );
    connectNetns([left, ['10.0.0.1/30']], [right, ['10.0.0.2/30']]);
    await started(
      startBird({
        listen: { address: '10.0.0.1', port: 179 },
        routerId: '10.0.0.1',
        localAsn: 65001,
        announce,
        netns: left.name,
        neighbors: [{ address: '10.0.0.2', port: 179, asn: 65002 }],
      }),
    );
    const receiver = await started(
      startBird({
        listen: { address: '10.0.0.2', port: 179 },
        routerId: '10.0.0.2',
        localAsn: 65002,
        netns: right.name,
        neighbors: [{ address: '10.0.0.1', port: 179, asn: 65001 }],
      }),
    );
    await receiver.waitRoutes(2);
    expect((await receiver.routes()).map(({ prefix }) => prefix)).toEqual([
      '198.51.100.0/24',
      '203.0.113.128/25',
    ]);
  });
});
