import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { startBird } from '../../daemons/bird/bird.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { Daemon, DaemonOptions } from '../../daemons/daemon.ts';
import { startFrr } from '../../daemons/frr/frr.ts';
import { startGobgp } from '../../daemons/gobgp/gobgp.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  bigTable,
  never,
  peerModel,
  routesModel,
  speakerModel,
  startEngine,
  waitSession,
} from './models.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function birdUp(): Promise<Bird> {
  const bird = await startBird({
    listen: { address: loopbackAddress(), port: await freePort() },
    routerId: '192.0.2.1',
    localAsn: 65_001,
    neighbors: [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true }],
    logRoutes: true,
  });
  stops.push(() => bird.stop());
  return bird;
}

/** Starts a process that announces `count` routes from number `first` on, and returns when it has. */
async function announcer(bird: Daemon, listen: number, first: number, count: number): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('restart-child.ts', import.meta.url));
  const args = [script, bird.address, bird.port, listen, first, count].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  stops.push(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (octets: Buffer) => (said += octets.toString()));
  await waitFor(() => said.includes('sent'), { what: 'the speaker to have sent its routes' });
  return child;
}

const removed = (bird: Bird): string[] =>
  bird.routeChanges().flatMap(({ change, prefix }) => (change === 'removed' ? [prefix] : []));

describe.skipIf(requireDaemon('bird') === null)('a peer with graceful restart (RFC 4724)', () => {
  it('loses nothing when the process is killed, and what is gone permanently goes when the next one is done', async () => {
    const bird = await birdUp();
    const port = await freePort();
    const first = await announcer(bird, port, 0, 1_000);
    await bird.waitRoutes(1_000);
    first.kill('SIGKILL');
    await once(first, 'exit');
    await waitFor(async () => (await bird.session()).state !== 'established', { what: 'BIRD to notice' });
    expect(await bird.routeCount()).toBe(1_000);
    expect(removed(bird)).toEqual([]);

    // The next process has other routes: 2 are gone, 1 is new.
    await announcer(bird, port, 2, 999);
    await bird.waitRoutes(999);
    expect(removed(bird).sort()).toEqual(['16.0.0.0/24', '16.0.1.0/24']);
    expect(bird.updates().flatMap(({ withdrawn }) => withdrawn)).toEqual([]);
  });

  it('loses nothing when the speaker is closed gracefully, and all when not', async () => {
    const bird = await birdUp();
    const routes = routesModel(bigTable(50, ['65000:1']));
    const speaker = speakerModel([peerModel({ id: 'bird', address: bird.address, port: bird.port })]);
    const engine = await startEngine();
    await engine.driver('s').configure(speaker);
    await engine.driver('s').apply(routes, never);
    await bird.waitRoutes(50);
    await engine.close(true);
    await waitFor(async () => (await bird.session()).state !== 'established', { what: 'BIRD to notice' });
    expect(await bird.routeCount()).toBe(50);

    const next = await startEngine();
    stops.push(() => next.close(false));
    await next.driver('s').configure(speaker);
    await next.driver('s').apply(routes, never);
    await bird.waitEstablished();
    await waitSession(next.driver('s'), 'all routes sent', ({ routesExported }) => routesExported === 50);
    expect(removed(bird)).toEqual([]);
    await next.driver('s').close(false);
    await bird.waitRoutes(0);
  });

  it('keeps what it has of another installation until something is applied to the new one', async () => {
    const bird = await birdUp();
    const speaker = speakerModel([peerModel({ id: 'bird', address: bird.address, port: bird.port })]);
    const old = await startEngine();
    await old.driver('s').configure(speaker);
    await old.driver('s').apply(routesModel(bigTable(50, ['65000:1'])), never);
    await bird.waitRoutes(50);
    await old.close(true);

    const fresh = await startEngine();
    stops.push(() => fresh.close(false));
    const driver = fresh.driver('s');
    await driver.configure(speaker);
    await driver.apply({ ...routesModel(bigTable(0, [])), isUnfinished: true }, never);
    await bird.waitEstablished();
    const first = routesModel(bigTable(51, ['65000:1']));
    expect(await bird.routeCount()).toBe(50);
    await driver.apply(first, never);
    await bird.waitRoutes(51);
    expect(removed(bird)).toEqual([]);
    // From here on an empty table is what it says.
    await driver.apply(routesModel(bigTable(0, [])), never);
    await bird.waitRoutes(0);
  });

  it('loses nothing when the thread dies: a new one takes up its work', async () => {
    const bird = await birdUp();
    // The engine keeps its thread to itself; the process tells of each that starts.
    const threads: Worker[] = [];
    const note = (thread: Worker): void => void threads.push(thread);
    process.on('worker', note);
    stops.push(() => void process.off('worker', note));
    const engine = await startEngine();
    stops.push(() => engine.close(false));
    const driver = engine.driver('s');
    await driver.configure(speakerModel([peerModel({ id: 'bird', address: bird.address, port: bird.port })]));
    await driver.apply(routesModel(bigTable(50, ['65000:1'])), never);
    await bird.waitRoutes(50);
    await threads[0]!.terminate();
    expect(await driver.status()).toMatchObject({ reachable: false, sessions: [] });
    const back = async (): Promise<boolean> => {
      const { sessions } = await driver.status();
      return sessions[0]?.routesExported === 50;
    };
    await waitFor(back, { what: 'the routes to be sent again' });
    expect(await bird.routeCount()).toBe(50);
    expect(removed(bird)).toEqual([]);
  });
});

describe.each<{ name: string; program: string | null; start: (options: DaemonOptions) => Promise<Daemon> }>([
  { name: 'FRR', program: requireDaemon('frr-bgpd'), start: startFrr },
  { name: 'GoBGP', program: requireDaemon('gobgpd'), start: startGobgp },
])('$name as the peer', ({ program, start }) => {
  it.skipIf(program === null)(
    'keeps the routes, too, until the next process is done',
    async () => {
      const listen = { address: loopbackAddress(), port: await freePort() };
      const neighbors = [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true }];
      const peer = await start({ listen, routerId: '192.0.2.1', localAsn: 65_001, neighbors });
      stops.push(() => peer.stop());
      const port = await freePort();
      const first = await announcer(peer, port, 0, 100);
      await peer.waitRoutes(100);
      first.kill('SIGKILL');
      await once(first, 'exit');
      await waitFor(async () => (await peer.session()).state !== 'established', {
        what: 'the peer to notice',
      });
      const kept = await peer.routes();
      expect(kept).toHaveLength(100);
      await announcer(peer, port, 2, 99);
      const fresh = async (): Promise<boolean> => {
        const routes = await peer.routes();
        return routes.length === 99 && routes.every(({ stale }) => stale !== true);
      };
      await waitFor(fresh, { what: 'the routes of the next process' });
      const prefixes = (await peer.routes()).map(({ prefix }) => prefix);
      expect(prefixes).not.toContain('16.0.0.0/24');
      expect(prefixes).toContain('16.0.100.0/24');
    },
    90_000,
  );
});
