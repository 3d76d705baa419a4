/** Refreshes by the clock, and together, in processes of their own on one database; some of them killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopProcess } from '../../../demo/program.ts';
import { Service } from '../../../demo/service.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startEmbeddedServer, type EmbeddedServer } from '../../../src/store/embedded/embedded-server.ts';
import { testProgram } from '../../program.ts';

interface Job {
  readonly id: string;
  readonly state: string;
  readonly requested_by: string;
  readonly resource: { readonly id: string } | null;
  readonly result: Record<string, unknown> | null;
}

const command = testProgram();
const dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-scheduling-'));
const children: ChildProcess[] = [];
/** Paths that answer only once their promise is there. */
const gates = new Map<string, Promise<void>>();
const asked: string[] = [];
const lists = createServer((request, response) => {
  const path = request.url!;
  asked.push(path);
  void Promise.resolve(gates.get(path)).then(() =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`45.${path.slice(1)}.0.0/24`),
  );
});
let api: Service;
let database: EmbeddedServer;

beforeAll(async () => {
  await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve));
  const bgpListen = `127.0.0.1:${await freePort()}`;
  api = await Service.start({
    dataDir,
    port: await freePort(),
    bgpListen,
    command,
    env: { APP_SERVICE: 'app-api' },
  });
  database = await startEmbeddedServer(dataDir);
  // Only what is due is to be refreshed.
  await api.call('PATCH', '/v1/settings', { auto_revision: false });
});
afterAll(async () => {
  for (const child of children) await stopProcess(child);
  await database?.close();
  await api?.stop();
  lists.closeAllConnections();
  lists.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function run(role: 'app-worker' | 'app-scheduler'): ChildProcess {
  const env = {
    ...process.env,
    APP_SERVICE: role,
    APP_DATA_DIR: dataDir,
    APP_FETCH_ALLOW: '127.0.0.1/32',
    APP_LOG_LEVEL: 'silent',
    DATABASE_URL: '',
  };
  const child = spawn(process.execPath, [command, 'start'], { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

/** A module of one list, whose only prefix is `45.<number>.0.0/24`. */
async function addModule(number: number, interval: number | null = null): Promise<string> {
  const body = { name: `m${number}`, type: 'CDN_SOURCES', refresh_interval_seconds: interval };
  const { id } = await api.post<{ id: string }>('/v1/modules', body);
  const { port } = lists.address() as AddressInfo;
  const source = { name: 'list', url: `http://127.0.0.1:${port}/${number}` };
  await api.post(`/v1/modules/${id}/cdn-sources`, source);
  return id;
}

const job = (id: string) => api.get<Job>(`/v1/jobs/${id}`);
const jobs = async (query: string) => (await api.get<{ items: Job[] }>(`/v1/jobs?limit=500&${query}`)).items;
const ended = (id: string) => api.ended({ id });
const prefixesOf = async (revisionId: unknown): Promise<string[]> => {
  const path = `/v1/revisions/${String(revisionId)}/prefixes`;
  return (await api.get<{ items: { prefix: string }[] }>(path)).items.map(({ prefix }) => prefix);
};

test('two schedulers and a worker in processes of their own refresh what is due, each once', async () => {
  const modules = [];
  for (let number = 0; number < 10; number++) modules.push(await addModule(number, 3600));
  run('app-worker');
  run('app-scheduler');
  run('app-scheduler');
  expect(await jobs('type=module_refresh')).toEqual([]);
  const client = new pg.Client(database.address);
  await client.connect();
  await client.query('SET ROLE prefixcast_system');
  await client.query("UPDATE prefixcast.module SET next_refresh_at = now() - interval '1 second'");
  await client.end();
  const done = await waitFor(
    async () => {
      const all = await jobs('type=module_refresh&state=succeeded');
      return all.length >= 10 && all;
    },
    { what: 'ten refreshes' },
  );
  expect(done.map(({ resource }) => resource!.id).sort()).toEqual([...modules].sort());
  expect(new Set(done.map(({ requested_by: actor }) => actor))).toEqual(new Set(['auto:scheduler']));
  expect(await jobs('type=module_refresh')).toHaveLength(10);
  for (const build of await jobs('type=revision_build')) await ended(build.id);
  const { items } = await api.get<{ items: { id: string }[] }>('/v1/revisions?limit=500');
  expect(await prefixesOf(items[0]!.id)).toHaveLength(10);
  for (const child of children) await stopProcess(child);
});

test('the revision for several refreshes outlives the worker that waits to build it', async () => {
  const gate = Promise.withResolvers<void>();
  gates.set('/101', gate.promise);
  const [quick, slow] = [await addModule(100), await addModule(101)];
  const worker = run('app-worker');
  const hanging = await api.post<Job>(`/v1/modules/${slow}/refresh`);
  await waitFor(() => asked.includes('/101'), { what: 'the slow one to be read' });
  const left = await ended((await api.post<Job>(`/v1/modules/${quick}/refresh`)).id);
  expect(left).toMatchObject({ state: 'succeeded', result: { revision_id: null } });
  const build = String(left.result!.build_job_id);
  await waitFor(async () => (await job(build)).state === 'running', { what: 'the build to wait' });
  worker.kill('SIGKILL');
  expect((await job(build)).state).toBe('running');
  gate.resolve();
  run('app-worker');
  const { state, result } = await ended(build);
  expect(state).toBe('succeeded');
  expect(await prefixesOf(result!.revision_id)).toContain('45.100.0.0/24');
  // The other refresh was taken up again too, and its own revision, be it this or one more, has both.
  const other = (await ended(hanging.id)).result!;
  const own = other.revision_id ?? (await ended(String(other.build_job_id))).result!.revision_id;
  expect(await prefixesOf(own)).toEqual(expect.arrayContaining(['45.100.0.0/24', '45.101.0.0/24']));
});
