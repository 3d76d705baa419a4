import { afterEach, expect, test } from 'vitest';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, peerModel, routesModel, speakerModel, startEngine, tableOf } from './models.ts';
import { RawPeer } from './raw-peer.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

test('a peer over its limit is sent what has taken the place of a route that it had, and nothing else that is new', async () => {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  const address = loopbackAddress();
  await driver.configure(speakerModel([peerModel({ address, passive: true, maxPrefixesOut: 2 })]));
  const apply = (...prefixes: string[]): Promise<unknown> =>
    driver.apply(routesModel(tableOf(Object.fromEntries(prefixes.map((one) => [one, ['65000:1']])))), never);
  await apply('11.0.1.0/24', '12.0.1.0/24');
  const peer = await RawPeer.call(engine.address!.port, address);
  stops.push(() => void peer.socket.destroy());
  await peer.establish();
  const wordOf = (address: string): string =>
    String(address.split('.').reduce((word, octet) => word * 256 + Number(octet), 0));
  const has = (...addresses: string[]): Promise<unknown> =>
    waitFor(() => [...peer.routes].sort().join() === addresses.map(wordOf).sort().join(), {
      what: `the peer to have ${addresses.join(', ')}`,
      details: () => [...peer.routes].join(', '),
    });
  await has('11.0.1.0', '12.0.1.0');
  await apply('11.0.0.0/23', '12.0.1.0/24', '13.0.0.0/24');
  await has('11.0.0.0', '12.0.1.0');
  await apply('11.0.0.128/25', '11.0.1.0/24', '12.0.1.0/24', '13.0.0.0/24');
  await has('11.0.1.0', '12.0.1.0');
  await apply('12.0.0.0/23', '13.0.0.0/24', '14.0.0.0/24');
  await has('12.0.0.0');
  expect(peer.closed).toBe(false);
});
