/**
 * The worst day: a backup is taken under load, then everything of the service is killed and its disk is empty. After the restore a router
 * with graceful restart has kept its routes, a node goes on, and nothing waits for ever.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveManifest } from '../../src/backup/archive.ts';
import { processExists } from '../../src/concurrency/process-identity.ts';
import { startWorld, type AgentProcess, type NodeWorld } from '../agent/world.ts';
import { typist, type Typed } from '../cli/desk/typing.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';

const ROUTES = Array.from({ length: 50 }, (_, at) => `45.${at}.0.0/24`);
/** What a backup says of no moment: where readers of events begin, and jobs that have to be sent again. */
const SETTLED = new Set(['event_counter', 'job']);

interface Item {
  readonly id: string;
}

describe.skipIf(requireDaemon('bird') === null)('a restore on an empty machine', () => {
  let world: NodeWorld;
  let agent: AgentProcess;
  let router: Bird;
  let file: string;
  let run: (...words: string[]) => Promise<Typed>;

  const dataDir = (): string => join(world.directory, 'service');

  beforeAll(async () => {
    world = await startWorld();
    agent = await world.enrolled();
    router = await addRouter(world);
    await world.announce(ROUTES);
    await waitFor(async () => (await router.routes()).length === ROUTES.length, {
      what: 'the router to have all',
    });
    file = join(world.directory, 'backup.tar');
    run = typist({ APP_DATA_DIR: dataDir() });
  });
  afterAll(async () => {
    await router?.stop();
    await world?.close();
  });

  test('a backup under load is of one moment', async () => {
    const { service } = world;
    await service.post('/v1/peers', {
      ...{ name: 'locked', address: '192.0.2.9', remote_asn: 64499, password: 'very secret', enabled: false },
    });
    let isOver = false;
    const editing = (async () => {
      for (let at = 0; !isOver; at++) await world.ask([...ROUTES, `46.${at % 200}.0.0/24`]);
    })();
    await delay(1_000); // until edits are under way
    const backup = await run('backup', file);
    isOver = true;
    await editing;
    expect(backup).toMatchObject({
      code: 0,
      err: expect.stringContaining('holds the key of all secrets') as string,
    });
    const verified = await run('verify', file);
    expect(verified, verified.err).toMatchObject({
      code: 0,
      out: expect.stringContaining('is whole') as string,
    });
  });

  test('routers keep their routes while everything is killed and restored, and the node goes on', async () => {
    // Jobs that are waiting at the moment of the next backup go on after it.
    const waiting = join(world.directory, 'waiting.tar');
    const { items } = await world.service.get<{ items: Item[] }>('/v1/modules');
    const queued = await Promise.all(
      Array.from({ length: 6 }, () => world.service.post<Item>(`/v1/modules/${items[0]!.id}/refresh`)),
    );
    expect(await run('backup', waiting)).toMatchObject({ code: 0 });
    const revisions = await world.service.get<{ items: { number: number }[] }>('/v1/revisions');
    const before = router.updates().length;
    await killEverything(world, dataDir());
    rmSync(dataDir(), { recursive: true });

    const restored = await run('restore', waiting);
    expect(restored, restored.err).toMatchObject({ code: 0 });
    const again = join(world.directory, 'again.tar');
    expect(await run('backup', again)).toMatchObject({ code: 0 });
    expect(sumsOf(again)).toEqual(sumsOf(waiting));
    expect((await router.routes()).length).toBeGreaterThanOrEqual(ROUTES.length);

    await world.startService();
    await router.waitEstablished();
    await waitFor(async () => (await openJobs(world)) === 0, {
      what: 'all jobs to end',
    });
    for (const { id } of queued) expect((await world.service.ended({ id })).state).toBe('succeeded');
    const now = await world.service.get<{ items: { number: number }[] }>('/v1/revisions');
    expect(now.items[0]!.number).toBeGreaterThanOrEqual(revisions.items[0]!.number);
    expect(router.withdrawnSince(before).filter((prefix) => ROUTES.includes(prefix))).toEqual([]);

    const after = [...ROUTES, '47.0.0.0/24'];
    await world.announce(after);
    await waitFor(async () => (await router.routes()).length === after.length, {
      what: 'the router to follow',
    });
    expect(agent.child.exitCode).toBeNull();
    const { items: peers } = await world.service.get<{
      items: { name: string; last_error: string | null }[];
    }>('/v1/peers');
    expect(peers.map(({ name }) => name)).toContain('locked');
  });
});

async function addRouter({ service }: NodeWorld): Promise<Bird> {
  const address = loopbackAddress();
  const router = await startBird({
    listen: { address, port: await freePort(address) },
    routerId: address,
    localAsn: 64497,
    neighbors: [
      {
        ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true },
        families: ['ipv4', 'ipv6'],
      },
    ],
  });
  const { items } = await service.get<{ items: (Item & { name: string })[] }>('/v1/speakers');
  const builtin = items.find(({ name }) => name === 'builtin')!;
  await service.post('/v1/peers', {
    ...{ name: 'router', address, port: router.port, remote_asn: 64497 },
    ...{ speaker_ids: [builtin.id], next_hop_ipv6: '2001:db8::1' },
  });
  return router;
}

async function openJobs({ service }: NodeWorld): Promise<number> {
  const lists = await Promise.all(
    ['queued', 'running'].map((state) => service.get<{ items: Item[] }>(`/v1/jobs?state=${state}`)),
  );
  return lists.flatMap(({ items }) => items).length;
}

/** As a power failure would. */
async function killEverything(world: NodeWorld, dataDir: string): Promise<void> {
  const postmaster = Number(
    readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0],
  );
  await world.stopService('SIGKILL');
  process.kill(postmaster, 'SIGKILL');
  await waitFor(() => !processExists(postmaster), { what: 'the database to be gone' });
}

function sumsOf(file: string): unknown {
  const text = execFileSync('tar', ['-xOf', file, 'manifest.json'], { encoding: 'utf8' });
  const { tables, counters } = JSON.parse(text) as ArchiveManifest;
  return { tables: tables.filter(({ name }) => !SETTLED.has(name)), counters };
}
