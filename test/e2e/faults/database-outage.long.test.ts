import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../demo/service.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { cast, type Cluster, listOf, startCluster } from '../cluster.ts';

/** The database goes away and comes back while routes are announced: the peer notices nothing, and nobody lifts a hand. */
describe.skipIf(requireDaemon('bird') === null)('while routes are announced', () => {
  let cluster: Cluster;
  let service: Service;
  let module: string;
  let since: string;
  beforeAll(async () => {
    cluster = await startCluster();
    cluster.list = listOf(200);
    service = await cluster.serve('app-all');
    module = await cluster.prepare(service);
    await cast(service, module);
    await cluster.bird.waitRoutes(200);
    since = (await session())!.since;
  });
  afterAll(() => cluster?.close());

  const session = async () => {
    const { items } = await service.get<{
      items: { live: { sessions: { state: string; since: string }[] } }[];
    }>('/v1/speakers?live=true');
    return items[0]!.live.sessions[0];
  };
  const status = async (path: string): Promise<number> => (await service.request('GET', path)).status;

  /** The session is the one that it was, and the next list arrives. */
  const goesOn = async (count: number): Promise<void> => {
    await waitFor(async () => (await status('/v1/ready')) === 200, { what: 'the service to be ready again' });
    // The process that holds the speaker is heard of again once it has renewed its lease.
    await waitFor(async () => (await session()) !== undefined, { what: 'the session to be reported' });
    expect(await session()).toMatchObject({ state: 'established', since });
    cluster.list = listOf(count);
    const received = cluster.bird.updates().length;
    await cast(service, module);
    await cluster.bird.waitRoutes(count);
    const updates = cluster.bird.updates().slice(received);
    expect(updates.flatMap((update) => update.withdrawn)).toEqual([]);
    expect(updates.flatMap((update) => update.announced).length).toBe(50);
    expect(await session()).toMatchObject({ state: 'established', since });
  };

  test('the server is killed: ready says so, health does not, and it is started again', async () => {
    const { pid } = cluster.server();
    const received = cluster.bird.updates().length;
    process.kill(pid, 'SIGKILL');
    const answer = await waitFor(
      async () => {
        const response = await service.request('GET', '/v1/ready');
        return response.status === 503 && response;
      },
      { what: 'ready to say that the database is away', everyMs: 5 },
    );
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({ code: 'database_unavailable' });
    expect(await status('/v1/health')).toBe(200);
    expect(cluster.bird.updates().length).toBe(received);
    await goesOn(250);
    expect(cluster.server().pid).not.toBe(pid);
  });

  test('every connection is cut: the work goes on over new ones', async () => {
    const { socketDir } = cluster.server();
    const admin = new pg.Client({ host: socketDir, port: 5432, user: 'postgres', database: 'postgres' });
    await admin.connect();
    const { rowCount } = await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'prefixcast'",
    );
    await admin.end();
    expect(rowCount).toBeGreaterThan(0);
    await goesOn(300);
  });
});
