/** Sessions of a speaker that has much to do, or whose peers take less than it has. */
import { expect, it } from 'vitest';
import { encodeKeepalive } from '../../../src/bgp/message.ts';
import type { RoutesModel, SessionStatus } from '../../../src/speakers/speaker.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { bigTable, never, peerModel, routesModel, sessionOf, speakerModel, waitSession } from './models.ts';
import { RawPeer } from './raw-peer.ts';
import { useSpeaking } from './speaking.ts';

const { stops, speaking } = useSpeaking();

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
  const readerHasAll = (): Promise<SessionStatus> =>
    waitSession(
      driver,
      'the reader to have all',
      ({ routesExported, isBehind }) => routesExported === size && isBehind !== true,
      readerAddress,
    );
  const applyMany = async (times: number, tables: readonly RoutesModel[]): Promise<void> => {
    for (let i = 0; i < times; i++) await driver.apply(tables[i % tables.length]!, never);
  };
  // Every route changes each time, until no socket's buffer takes any more: nothing goes out while the reader gets one more table. The engine
  // sends the latest alone when it is slower than these are applied, so each waits until the reader has it.
  const loud = [1, 2].map((label) => routesModel(bigTable(size, [`65000:${label}`])));
  for (let i = 0, sent = -1; ; i++) {
    expect(i).toBeLessThan(100);
    await driver.apply(loud[i % loud.length]!, never);
    await readerHasAll();
    const { isBehind, updatesSent } = await sessionOf(driver, address);
    if (isBehind === true && updatesSent === sent) break;
    sent = updatesSent;
  }
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
});

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
