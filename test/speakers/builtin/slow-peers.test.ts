import { afterEach, expect, it } from 'vitest';
import { loopbackAddress } from '../../daemons/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { bigTable, never, peerModel, routesModel, speakerModel, startEngine, waitSession } from './models.ts';
import { RawPeer } from './raw-peer.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

it('of many slow peers the one furthest behind is let go, and keeps its routes (RFC 4724)', async () => {
  const engine = await startEngine({ applyWait: 10 });
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
}, 120_000);
