import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { MessageType, encodeKeepalive, frameMessage } from '../../../src/bgp/message.ts';
import { encodeOpen } from '../../../src/bgp/open.ts';
import { encodeRouteRefresh } from '../../../src/bgp/route-refresh.ts';
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import type { PeerModel, RoutesModel, SessionStatus, SpeakerDriver } from '../../../src/speakers/speaker.ts';
import { SpeakerError } from '../../../src/speakers/speaker.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  bigTable,
  never,
  peerModel,
  routesModel,
  sessionOf,
  speakerModel,
  startEngine,
  tableOf,
  waitSession,
  silent,
} from './models.ts';
import { RawPeer, listenRaw, rawOpen } from './raw-peer.ts';
import type { RawListener } from './raw-peer.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Speaking {
  readonly engine: BuiltinEngine;
  readonly driver: SpeakerDriver;
  readonly address: string;
  readonly call: () => Promise<RawPeer>;
}

const small = routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] }));

/** A speaker with one peer that calls it. */
async function speaking(changes: Partial<PeerModel> = {}, timeout = 30_000): Promise<Speaking> {
  const engine = await startEngine({ timeout });
  stops.push(() => engine.close(false));
  const address = loopbackAddress();
  const driver = engine.driver('s');
  await driver.configure(speakerModel([peerModel({ address, passive: true, ...changes })]));
  await driver.apply(small, never);
  const call = async (): Promise<RawPeer> => {
    const peer = await RawPeer.call(engine.address!.port, address);
    stops.push(() => void peer.socket.destroy());
    return peer;
  };
  return { engine, driver, address, call };
}

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

it('keepalives go out while the main thread is busy', async () => {
  const { driver, call } = await speaking();
  const peer = await call();
  await peer.establish({ holdTime: 3 });
  await peer.receives('update');
  const before = peer.count('keepalive');
  peer.socket.write(encodeKeepalive());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
  await waitFor(() => peer.count('keepalive') >= before + 2, {
    what: 'the keepalives of the busy time',
    timeoutMs: 2_000,
  });
  peer.socket.write(encodeKeepalive());
  expect((await sessionOf(driver)).state).toBe('established');
});

it('keepalives go out while the thread sends a million routes to others', async () => {
  const [one, two] = ['65000:1', '65000:2'].map((label) => routesModel(bigTable(1_000_000, [label])));
  const { engine, driver, call, address } = await speaking();
  const other = loopbackAddress();
  const quiet = peerModel({ id: 'quiet', address, passive: true, labels: [] });
  await driver.configure(speakerModel([quiet, peerModel({ id: 'busy', address: other, passive: true })]));
  const busy = await RawPeer.call(engine.address!.port, other);
  stops.push(() => void busy.socket.destroy());
  await busy.establish({ holdTime: 0 });
  await busy.receives('update');
  // It only swallows from here on: reading a million routes would keep this thread from its own keepalives.
  busy.socket.removeAllListeners('data').resume();
  const peer = await call();
  const gaps: number[] = [];
  let last = performance.now();
  await peer.establish({ holdTime: 9 });
  peer.socket.on('data', () => {
    gaps.push(performance.now() - last);
    last = performance.now();
    peer.socket.write(encodeKeepalive());
  });
  const from = peer.count('keepalive');
  for (let i = 0; peer.count('keepalive') < from + 3; i++)
    await driver.apply(i % 2 === 0 ? one! : two!, never);
  // The hold time is the peer's right, not a matter of speed.
  expect(Math.max(...gaps)).toBeLessThan(9_000);
  expect((await sessionOf(driver, 'quiet')).state).toBe('established');
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

it('a peer that stops reading holds up nobody, keeps memory bounded, and gets the latest when it reads again', async () => {
  const address = loopbackAddress();
  const { engine, driver, call, address: readerAddress } = await speaking({}, 100);
  const peers = [readerAddress, address].map((one) => peerModel({ id: one, address: one, passive: true }));
  await driver.configure(speakerModel(peers));
  const slow = await RawPeer.call(engine.address!.port, address);
  stops.push(() => void slow.socket.destroy());
  // Without hold time: these two say nothing while the test is at work.
  await slow.establish({ holdTime: 0 });
  await slow.receives('update');
  slow.socket.pause();
  const reader = await call();
  await reader.establish({ holdTime: 0 });
  await reader.receives('update');

  const size = 200_000;
  await driver.apply(routesModel(bigTable(size, ['65000:1'])), never);
  await waitSession(
    driver,
    'the reader to have all',
    ({ routesExported }) => routesExported === size,
    readerAddress,
  );
  const applyMany = async (times: number, tables: readonly RoutesModel[]): Promise<void> => {
    for (let i = 0; i < times; i++) await driver.apply(tables[i % tables.length]!, never);
  };
  // Every route changes each time, until no socket's buffer takes any more.
  const loud = [1, 2].map((label) => routesModel(bigTable(size, [`65000:${label}`])));
  await applyMany(12, loud);
  // From here on little changes, but the thread gets a table of its own each time.
  const calm = [1, 2, 3, 4].map((shift) => routesModel(bigTable(size, ['65000:3'], shift)));
  await applyMany(40, calm);
  const before = process.memoryUsage().rss;
  await applyMany(200, calm);
  // 200 tables are 360 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);

  // It is said once the engine has waited long enough for the peer.
  const waiting = await waitSession(
    driver,
    'the slow peer to be named',
    ({ lastError }) => lastError?.includes('reads slowly') === true,
    address,
  );
  expect(waiting.updatesSent).toBeLessThan(2_000);

  slow.socket.resume();
  const first = (0x10000000 + 4 * 256) >>> 0;
  await waitFor(() => slow.routes.size === size && slow.routes.has(String(first)), {
    what: 'the slow peer to have the latest',
  });
  await waitFor(() => reader.routes.size === size && reader.routes.has(String(first)), {
    what: 'the reader, too',
  });
  const caughtUp = (session: SessionStatus): boolean =>
    session.routesExported === size && session.lastError === null;
  await waitSession(driver, 'the status to say so', caughtUp, address);
}, 120_000);

it('a peer that is not sent more than it takes has what it had in its next session, too', async () => {
  const { driver, address, call } = await speaking({ maxPrefixesOut: 10 });
  await driver.apply(routesModel(bigTable(10, ['65000:1'])), never);
  const peer = await call();
  await peer.establish();
  await waitFor(() => peer.routes.size === 10, { what: 'the routes' });
  await driver.apply(routesModel(bigTable(11, ['65000:1'])), never);
  const problem = '11 routes are more than max_prefixes_out 10: the peer keeps the 10 it has';
  const isReported = ({ lastError }: SessionStatus): boolean => lastError?.includes(problem) === true;
  await waitSession(driver, 'the refusal', isReported);
  peer.socket.destroy();
  await waitSession(driver, 'the end', ({ state }) => state === 'active');
  const again = await call();
  await again.establish();
  await waitSession(driver, 'the same', (status) => status.routesExported === 10 && isReported(status));
  await waitFor(() => again.routes.size === 10, { what: 'the routes again' });
  const patient = peerModel({ address, passive: true, maxPrefixesOut: 10, holdTime: 180 });
  await driver.configure(speakerModel([patient]));
  const last = await call();
  await last.establish();
  await waitFor(() => last.routes.size === 10, { what: 'the routes of a session with other settings' });
  await driver.apply(routesModel(bigTable(9, ['65000:1'], 5)), never);
  await waitFor(() => last.routes.size === 9, { what: 'the next routes' });
  expect((await sessionOf(driver)).routesExported).toBe(9);
  await driver.configure(speakerModel([patient], { routerId: '10.255.0.2' }));
  const other = await call();
  await other.establish();
  await waitFor(() => other.routes.size === 9, { what: 'the routes of another router id' });
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
