/** What a session says to its peer, and when it ends. */
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { MessageType, encodeKeepalive, frameMessage } from '../../../src/bgp/message.ts';
import { encodeOpen } from '../../../src/bgp/open.ts';
import { encodeRouteRefresh } from '../../../src/bgp/route-refresh.ts';
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import { SpeakerError } from '../../../src/speakers/speaker.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, peerModel, sessionOf, speakerModel, startEngine, waitSession, silent } from './models.ts';
import { RawPeer, listenRaw, rawOpen } from './raw-peer.ts';
import type { RawListener } from './raw-peer.ts';
import { small, useSpeaking } from './speaking.ts';

const { stops, speaking } = useSpeaking();

async function listening(): Promise<{ address: string; raw: RawListener }> {
  const address = loopbackAddress();
  const raw = await listenRaw(address);
  stops.push(() => raw.close());
  return { address, raw };
}

it('keepalives come in time, and a silent peer is sent Hold Timer Expired', async () => {
  const { driver, call } = await speaking();
  const peer = await call();
  await peer.establish({ holdTime: 3 });
  await peer.receives('Hold Timer Expired');
  // One that answered the OPEN, then one a second at least, in the three seconds of silence.
  expect(peer.count('keepalive')).toBeGreaterThanOrEqual(3);
  const { lastError } = await waitSession(driver, 'the end', ({ state }) => state === 'active');
  expect(lastError).toBe('sent Hold Timer Expired: the peer was silent for 3 s');
});

it('a peer may not open connections without end', async () => {
  const { call } = await speaking();
  const calls = [];
  for (let i = 0; i < 9; i++) calls.push(await call());
  await calls[8]!.receives('Cease, Connection Rejected');
  await calls[0]!.establish();
  await calls[0]!.receives('update');
});

it.each([
  ['a marker that is none', Buffer.alloc(19), 'Message Header Error, Connection Not Synchronized'],
  ['an unknown type', frameMessage(9, new Uint8Array(0)), 'Message Header Error, Bad Message Type'],
  [
    'lengths that lie',
    frameMessage(MessageType.update, Uint8Array.of(0xff, 0xff, 0, 0)),
    'UPDATE Message Error, Malformed Attribute List',
  ],
  ['a second OPEN', encodeOpen(rawOpen), 'Finite State Machine Error, Unexpected in Established'],
])(
  'a peer that sends %s is sent a NOTIFICATION, and may connect again',
  async (_name, octets, notification) => {
    const { driver, call } = await speaking();
    const peer = await call();
    await peer.establish();
    await peer.receives('update');
    peer.socket.write(octets);
    await peer.receives(notification);
    await waitFor(() => peer.closed, { what: 'the connection to close' });
    expect((await sessionOf(driver)).lastError).toContain(`sent ${notification}`);
    const again = await call();
    await again.establish();
    await again.receives('update');
  },
);

it('random octets end the connection they came on and nothing else', async () => {
  const { driver, call } = await speaking();
  for (let i = 0; i < 20; i++) {
    const noise = await call();
    noise.socket.write(Buffer.from(Array.from({ length: 200 }, (_, at) => (i * 7919 + at * 104_729) % 251)));
    await waitFor(() => noise.closed, { what: 'the connection to close' });
  }
  const peer = await call();
  await peer.establish();
  await waitSession(
    driver,
    'the session',
    ({ state, routesExported }) => state === 'established' && routesExported === 1,
  );
});

it('a faulty route is no reason to end the session (RFC 7606)', async () => {
  const { driver, call } = await speaking();
  const peer = await call();
  await peer.establish();
  peer.socket.write(frameMessage(MessageType.update, Buffer.from('00000004400101' + '07' + '080a', 'hex')));
  peer.socket.write(encodeRouteRefresh('ipv4'));
  await waitFor(() => peer.count('update') >= 3, { what: 'the routes, their end, and the routes again' });
  expect(await sessionOf(driver)).toMatchObject({ state: 'established', routesReceived: 0 });
});

it('a stranger is turned away with Cease, and so is a peer that calls before it may', async () => {
  const { engine } = await speaking();
  const stranger = await RawPeer.call(engine.address!.port, loopbackAddress());
  await stranger.receives('Cease, Connection Rejected');
  await waitFor(() => stranger.closed, { what: 'the connection to close' });
});

it('no peer is called or accepted before the first apply', async () => {
  const { address, raw } = await listening();
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  await driver.configure(speakerModel([peerModel({ address, port: raw.port })]));
  expect((await driver.status()).reachable).toBe(true);
  expect(engine.address).toBeNull();
  expect(raw.calls).toHaveLength(0);
  await driver.apply(small, never);
  await waitFor(() => raw.calls.length === 1, { what: 'a call' });
  expect(engine.address).not.toBeNull();
});

it('of two calls that cross, one is ended by Cease and the other goes on (RFC 4271 section 6.8)', async () => {
  const { address, raw } = await listening();
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  await driver.configure(speakerModel([peerModel({ address, port: raw.port })], { routerId: '10.0.0.1' }));
  await driver.apply(small, never);
  await waitFor(() => raw.calls.length === 1, { what: 'the call of the speaker' });
  const theirs = raw.calls[0]!;
  const ours = await RawPeer.call(engine.address!.port, address);
  stops.push(() => void ours.socket.destroy());
  await theirs.receives('open');
  await ours.receives('open');
  theirs.socket.write(encodeOpen(rawOpen));
  await theirs.receives('keepalive');
  ours.socket.write(encodeOpen(rawOpen));
  // The peer's identifier is the higher one, so its call stays.
  await theirs.receives('Cease, Connection Collision Resolution');
  await ours.receives('keepalive');
  ours.socket.write(encodeKeepalive());
  await ours.receives('update');
  expect(await sessionOf(driver)).toMatchObject({ state: 'established', lastError: null });
});

it('an address in use is reported clearly, and taken as soon as it is free', async () => {
  const port = await freePort();
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  const warnings: string[] = [];
  const log = { ...silent, warn: (_fields: object, text: string) => void warnings.push(text) };
  const engine = await startEngine({ listen: { host: '127.0.0.1', port }, log });
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  const address = loopbackAddress();
  await driver.configure(speakerModel([peerModel({ address, passive: true })]));
  const failure = await driver.apply(small, never).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SpeakerError);
  expect(failure).toMatchObject({ code: 'listen_failed' });
  expect((failure as Error).message).toContain(
    `127.0.0.1 port ${port}: the address is in use by another program`,
  );
  const status = await driver.status();
  expect(status.error).toContain('APP_BGP_LISTEN');
  expect(status.version).toBe('test');
  expect(warnings).toEqual([status.error]);
  await new Promise((resolve) => squatter.close(resolve));
  await waitFor(() => engine.address !== null, { what: 'the socket to open' });
  const peer = await RawPeer.call(port, address);
  await peer.establish();
  await peer.receives('update');
  peer.socket.destroy();
});

it.each([
  ['a password', { password: 'secret' }, 'TCP MD5'],
  ['BFD', { bfd: true }, 'BFD'],
  ['an address that is none', { address: '192.0.2.256' }, 'its address is invalid'],
  ['a port that is none', { port: 70_000 }, 'its port 70000 is invalid'],
  ['a local address of the other family', { localAddress: '2001:db8::1' }, 'of different families'],
])('a peer with %s is refused with a remedy, and the others run', async (_name, changes, reason) => {
  const { driver, address, call } = await speaking();
  const model = speakerModel([
    peerModel({ address, passive: true }),
    peerModel({ id: 'odd', name: 'odd', address: '127.9.9.9', ...changes }),
  ]);
  expect(driver.check(model)).toEqual([expect.stringContaining('peer odd: ')]);
  expect(driver.check(model)[0]).toContain(reason);
  await driver.configure(model);
  expect(await sessionOf(driver, 'odd')).toMatchObject({
    state: 'idle',
    lastError: expect.stringContaining(reason) as string,
  });
  await (await call()).establish();
  await waitSession(driver, 'the good peer', ({ state }) => state === 'established');
});

it('a session that can not come up says why', async () => {
  const driver = (await startEngineFor()).driver('s');
  const port = await freePort();
  await driver.configure(speakerModel([peerModel({ address: '127.0.0.1', port })]));
  await driver.apply(small, never);
  const { lastError } = await waitSession(driver, 'an error', (session) => session.lastError !== null);
  expect(lastError).toBe(
    `cannot connect to 127.0.0.1 port ${port}: connection refused: nothing listens there, or it does not know this speaker`,
  );
});

async function startEngineFor(): Promise<BuiltinEngine> {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  return engine;
}

it('says since when a session is down, however often it tries to come up', async () => {
  const { driver, call } = await speaking();
  const peer = await call();
  await peer.establish();
  const up = await waitSession(driver, 'the session', ({ state }) => state === 'established');
  peer.socket.destroy();
  const down = await waitSession(driver, 'its end', ({ state }) => state !== 'established');
  expect(down.since > up.since).toBe(true);
  const again = await call();
  const trying = await waitSession(driver, 'an attempt', ({ state }) => state === 'open_sent');
  expect(trying.since).toBe(down.since);
  again.socket.destroy();
  const failed = await waitSession(driver, 'its failure', ({ state }) => state !== 'open_sent');
  expect(failed.since).toBe(down.since);
});
