import { afterEach, expect, it } from 'vitest';
import { RawPeer, listenRaw } from './raw-peer.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  never,
  peerModel,
  routesModel,
  sessionOf,
  speakerModel,
  startEngine,
  tableOf,
  waitSession,
} from './models.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const routes = routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] }));

it('of two tenants with a peer at one address, the one that takes calls is called', async () => {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const address = loopbackAddress();
  const [ours, theirs] = [engine.driver('ours'), engine.driver('theirs')];
  const peer = peerModel({ address, port: 1, passive: true });
  // The other tenant says the same AS number, and asks for it first.
  await theirs.configure(speakerModel([{ ...peer, port: 2, takesCalls: false }], { speakerId: 'theirs' }));
  await theirs.apply(routes, never);
  await ours.configure(speakerModel([peer], { speakerId: 'ours' }));
  await ours.apply(routes, never);
  const call = async (): Promise<RawPeer> => {
    const raw = await RawPeer.call(engine.address!.port, address);
    stops.push(() => void raw.socket.destroy());
    return raw;
  };
  const first = await call();
  await first.establish();
  await first.receives('update');
  expect((await sessionOf(ours)).state).toBe('established');
  expect((await sessionOf(theirs)).state).not.toBe('established');
  // Nor does it get the calls once we are gone.
  await ours.configure(speakerModel([], { speakerId: 'ours' }));
  const second = await call();
  await second.receives('Cease, Connection Rejected');
  expect((await sessionOf(theirs)).state).not.toBe('established');
});

it('a session that is refused from now on ends with a word, so that the peer keeps no route', async () => {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const address = loopbackAddress();
  const raw = await listenRaw(address);
  stops.push(() => raw.close());
  const driver = engine.driver('s');
  const peer = peerModel({ address, port: raw.port, gracefulRestart: true });
  await driver.configure(speakerModel([peer]));
  await driver.apply(routes, never);
  await waitFor(() => raw.calls.length === 1, { what: 'the call of the speaker' });
  await raw.calls[0]!.establish();
  await raw.calls[0]!.receives('update');
  await driver.configure(speakerModel([{ ...peer, refusal: 'the policy does not allow it' }]));
  await raw.calls[0]!.receives('Cease');
  const refused = await waitSession(driver, 'the refusal', ({ state }) => state === 'idle');
  expect(refused.lastError).toBe('the policy does not allow it');
  await driver.configure(speakerModel([peer]));
  await waitFor(() => raw.calls.length === 2, { what: 'another call once it is allowed' });
});
