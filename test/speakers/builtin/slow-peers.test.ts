import { afterEach, expect, it } from 'vitest';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  bigTable,
  never,
  peerModel,
  routesModel,
  speakerModel,
  startEngine,
  sessionOf,
  waitSession,
} from './models.ts';
import { RawPeer } from './raw-peer.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

it('of many slow peers the one furthest behind is let go, and keeps its routes (RFC 4724)', async () => {
  const engine = await startEngine({ timeout: 10 });
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  const addresses = Array.from({ length: 9 }, () => loopbackAddress());
  await driver.configure(
    speakerModel(addresses.map((address) => peerModel({ id: address, address, passive: true }))),
  );
  // More than the buffers between two sockets hold.
  const routes = routesModel(bigTable(2_000_000, ['65000:1']));
  await driver.apply(routes, never);
  const first = addresses[0]!;
  let furthest: RawPeer | null = null;
  for (const address of addresses) {
    const peer = await RawPeer.call(engine.address!.port, address);
    stops.push(() => void peer.socket.destroy());
    await peer.establish({ holdTime: 0 });
    peer.socket.pause();
    furthest ??= peer;
    await waitSession(driver, 'the session', ({ state }) => state === 'established', address);
    await driver.apply(routes, never);
  }
  // Whom an apply lets go depends on how far the engine has come with each, and a busy machine leaves it behind.
  await waitFor(
    async () => {
      await driver.apply(routes, never);
      return (await sessionOf(driver, first)).state !== 'established';
    },
    { what: 'the furthest to be let go' },
  );
  let said = Buffer.alloc(0);
  furthest!.socket.removeAllListeners('data').on('data', (octets: Buffer) => {
    said = Buffer.concat([said, octets]).subarray(-21);
  });
  furthest!.socket.resume();
  await waitFor(() => furthest!.closed, { what: 'the connection to close' });
  // A NOTIFICATION would take the routes of a peer that knows RFC 4724 and no more.
  expect(said.toString('hex')).not.toContain(`${'ff'.repeat(16)}001503`);
  const { lastError } = await waitSession(
    driver,
    'a new beginning',
    ({ state }) => state === 'active',
    first,
  );
  expect(lastError).toContain('fell too far behind');
});

it('peers over their limit are not slow: however many they are, no session ends', async () => {
  const engine = await startEngine({ timeout: 5_000 });
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  const addresses = Array.from({ length: 10 }, () => loopbackAddress());
  const [healthy, ...narrow] = addresses as [string, ...string[]];
  // A next hop of their own lets no two of them share what they are sent.
  const model = (address: string, index: number): ReturnType<typeof peerModel> =>
    peerModel({
      ...{ id: address, address, passive: true, nextHopIpv4: `203.0.113.${index + 1}` },
      maxPrefixesOut: address === healthy ? null : 20,
    });
  await driver.configure(speakerModel(addresses.map(model)));
  await driver.apply(routesModel(bigTable(20, ['65000:1'])), never);
  const peers = new Map<string, RawPeer>();
  for (const address of addresses) {
    const peer = await RawPeer.call(engine.address!.port, address);
    stops.push(() => void peer.socket.destroy());
    await peer.establish();
    await waitFor(() => peer.routes.size === 20, { what: `the routes of ${address}` });
    peers.set(address, peer);
  }
  for (const first of [1, 2, 3]) {
    await driver.apply(routesModel(bigTable(30, ['65000:1'], first)), never);
    const sizes = (): number[] => addresses.map((address) => peers.get(address)!.routes.size);
    await waitFor(() => JSON.stringify(sizes()) === JSON.stringify([30, ...narrow.map(() => 20 - first)]), {
      what: `what each keeps after ${first}`,
    });
  }
  expect([...peers.values()].filter(({ closed }) => closed)).toEqual([]);
  const { sessions } = await driver.status();
  expect(sessions.map(({ state }) => state)).toEqual(addresses.map(() => 'established'));
});
