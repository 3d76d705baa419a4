// What a thread that died was sent last, and what comes while a new one is being sent it.
import { createServer } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import type { RoutesModel } from '../../../src/speakers/speaker.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  never,
  peerModel,
  routesModel,
  silent,
  speakerModel,
  startEngine,
  tableOf,
  waitSession,
} from './models.ts';
import { listenRaw } from './raw-peer.ts';
import type { RawListener, RawPeer } from './raw-peer.ts';

const stops: (() => Promise<unknown> | void)[] = [];
const threads: Worker[] = [];
beforeEach(() => {
  // The engine keeps its thread to itself; the process tells of each that starts.
  const note = (thread: Worker): void => void threads.push(thread);
  process.on('worker', note);
  stops.push(() => void process.off('worker', note));
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  threads.length = 0;
});

const one = routesModel(tableOf({ '11.0.0.0/8': [] }));
const two = routesModel(tableOf({ '12.0.0.0/8': [], '13.0.0.0/8': [] }));

async function engineUp(port = 0, errors: object[] = []): Promise<BuiltinEngine> {
  const log = { ...silent, error: (fields: object) => void errors.push(fields) };
  const engine = await startEngine({ listen: { host: '127.0.0.1', port }, log });
  stops.push(() => engine.close(false));
  return engine;
}

async function listening(): Promise<{ address: string; raw: RawListener }> {
  const address = loopbackAddress();
  const raw = await listenRaw(address);
  stops.push(() => raw.close());
  return { address, raw };
}

/** The last call of the speaker, with a session on it. */
async function answer(raw: RawListener, calls: number): Promise<RawPeer> {
  await waitFor(() => raw.calls.length >= calls, { what: `call ${calls} of the speaker` });
  const peer = raw.calls[calls - 1]!;
  await peer.establish({ holdTime: 0 });
  return peer;
}

const words = (routes: RoutesModel): string[] => [...routes.table.ipv4.words].map(String);

it('routes that come while a new thread is sent the old ones stay', async () => {
  const { address, raw } = await listening();
  const driver = (await engineUp()).driver('s');
  await driver.configure(speakerModel([peerModel({ address, port: raw.port })]));
  await driver.apply(one, never);
  await (await answer(raw, 1)).receives('update');
  await waitFor(() => threads.length === 1, { what: 'the first thread' });
  await threads[0]!.terminate();
  await waitFor(() => threads.length === 2, { what: 'the next thread' });
  const applied = new Promise<unknown>((resolve, reject) => {
    threads[1]!.once('message', () => {
      // In the very moment in which the engine has begun to tell the thread what it knew before.
      const apply = async (): Promise<void> => {
        for (let i = 0; i < 5; i++) await Promise.resolve();
        await driver.apply(two, never);
      };
      apply().then(resolve, reject);
    });
  });
  await applied;
  const peer = await answer(raw, 2);
  await waitSession(driver, 'all routes sent', ({ state, routesExported }) => {
    return state === 'established' && routesExported > 0;
  });
  await waitFor(() => peer.routes.size === 2, {
    what: 'the routes that were applied last',
    details: () => [...peer.routes].join(' '),
  });
  expect([...peer.routes].sort()).toEqual(words(two));
});

it('a speaker that can not go on keeps no other from it when the thread died', async () => {
  const { address, raw } = await listening();
  const port = await freePort();
  const errors: object[] = [];
  const engine = await engineUp(port, errors);
  const waiting = engine.driver('waits to be called');
  await waiting.configure(speakerModel([peerModel({ address: loopbackAddress(), passive: true })]));
  await waiting.apply(one, never);
  const calling = engine.driver('calls');
  await calling.configure(speakerModel([peerModel({ address, port: raw.port })]));
  await calling.apply(two, never);
  await (await answer(raw, 1)).receives('update');

  const squatter = createServer();
  stops.push(() => new Promise((resolve) => squatter.close(resolve)));
  await threads[0]!.terminate();
  await new Promise<void>((resolve, reject) =>
    squatter.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  const peer = await answer(raw, 2);
  await waitFor(() => peer.routes.size === 2, { what: 'the routes of the speaker that calls' });
  await waitFor(() => errors.length > 0, { what: 'the log to tell of the other' });
  expect(JSON.stringify(errors.map((fields) => String((fields as { err?: unknown }).err)))).toContain(
    'cannot listen for BGP',
  );
});
