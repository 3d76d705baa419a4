/**
 * `npm run bench -- workers`: how many refreshes two workers do in the time of one. Refreshes of many tenants wait before a worker starts; the rate
 * is from the start of the first to the end of the last, by the database's clock. Sources that answer after a second, as on the internet, bound a
 * worker by its places; those that answer at once bound it by the processors of the machine, which it shares with the database.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { stopProcess } from '../../demo/program.ts';
import { Service } from '../../demo/service.ts';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { machine, median } from '../measure/report.ts';

const TENANTS = 24;
const MODULES = 5;
const ROUNDS = 3;
const GOAL = 1.7;
/** Milliseconds that a source takes to answer. */
const DELAYS = [1_000, 0] as const;

interface Tenant {
  readonly key: string;
  readonly modules: readonly string[];
}

export async function run(): Promise<void> {
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const source = new Source();
  const url = await source.open();
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}`, command: COMMAND },
    env: { APP_SERVICE: 'app-api', APP_RATE_LIMIT_READS: '0', APP_RATE_LIMIT_WRITES: '0' },
  });
  try {
    const tenants: Tenant[] = [];
    for (let number = 0; number < TENANTS; number++) tenants.push(await addTenant(service, number, url));
    const rate = (workers: number): Promise<number> => drain(service, dataDir, tenants, workers);
    await rate(2); // the first refresh of a module stores more
    for (const delay of DELAYS) {
      source.delay = delay;
      const rates: Record<1 | 2, number[]> = { 1: [], 2: [] };
      for (let round = 0; round < ROUNDS; round++)
        for (const workers of [1, 2] as const) rates[workers].push(await rate(workers));
      const [one, two] = [median(rates[1]), median(rates[2])];
      const verdict = two / one >= GOAL ? 'met' : 'NOT met';
      console.log(
        `sources that answer after ${delay} ms: ${one.toFixed(1)} refreshes/s with one worker, ${two.toFixed(1)} with two, ratio ${(two / one).toFixed(2)}  goal ${GOAL}: ${verdict}`,
      );
    }
  } finally {
    await service.stop();
    await source.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

/** With modules of a source each, and revisions by refreshes only. */
async function addTenant(service: Service, number: number, url: string): Promise<Tenant> {
  const { api_key: key } = await service.post<{ api_key: { secret: string } }>('/v1/tenants', {
    ...{ name: `bench ${number}`, slug: `bench-${number}` },
  });
  const call = callWith(service, key.secret);
  await call('PATCH', '/v1/settings', { auto_revision: false });
  const modules: string[] = [];
  for (let at = 0; at < MODULES; at++) {
    const { id } = await call('POST', '/v1/modules', { name: `list ${at}`, type: 'CDN_SOURCES' });
    await call('POST', `/v1/modules/${id}/cdn-sources`, {
      ...{ name: 'list', url: `${url}/${number}-${at}`, format: 'text' },
    });
    modules.push(id);
  }
  return { key: key.secret, modules };
}

function callWith(service: Service, key: string) {
  return async (method: string, path: string, body?: object): Promise<{ readonly id: string }> => {
    const answer = await service.request(method, path, body, { authorization: `Bearer ${key}` });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`);
    return JSON.parse(text) as { id: string };
  };
}

/** Requests a refresh of every module, and starts so many workers. @returns refreshes a second */
async function drain(
  service: Service,
  dataDir: string,
  tenants: readonly Tenant[],
  workers: number,
): Promise<number> {
  const server = await startEmbeddedServer(dataDir);
  const client = new pg.Client({ ...server.address, user: 'postgres' });
  await client.connect();
  const since = await valueOf<Date>(client, 'SELECT clock_timestamp() AS value');
  for (const { key, modules } of tenants)
    for (const id of modules) await callWith(service, key)('POST', `/v1/modules/${id}/refresh`);
  const children = Array.from({ length: workers }, () => startWorker(dataDir));
  try {
    const open = "SELECT count(*)::int AS value FROM prefixcast.job WHERE state IN ('queued', 'running')";
    while ((await valueOf<number>(client, open)) > 0) await sleep(500);
    return await valueOf<number>(
      client,
      `SELECT (count(*) / extract(epoch FROM max(finished_at) - min(started_at)))::float8 AS value
         FROM prefixcast.job WHERE type = 'module_refresh' AND state = 'succeeded' AND created_at > $1`,
      [since],
    );
  } finally {
    for (const child of children) await stopProcess(child);
    await client.end();
    await server.close();
  }
}

async function valueOf<T>(client: pg.Client, text: string, values: unknown[] = []): Promise<T> {
  return (await client.query<{ value: T }>(text, values)).rows[0]!.value;
}

function startWorker(dataDir: string) {
  return spawn(process.execPath, [COMMAND, 'start'], {
    env: {
      ...process.env,
      ...{ APP_SERVICE: 'app-worker', APP_DATA_DIR: dataDir, DATABASE_URL: '' },
      ...{ APP_FETCH_ALLOW: '127.0.0.1/32', APP_LOG_LEVEL: 'silent' },
    },
    stdio: 'ignore',
  });
}

/** Lists of a hundred prefixes, each path its own, that stay as they are. */
class Source {
  delay = 0;
  readonly #server: Server = createServer((request, response) => {
    const [tenant = 0, module = 0] = request.url!.slice(1).split('-').map(Number);
    const lines = Array.from({ length: 100 }, (_, n) => `${44 + tenant}.${module}.${n * 2}.0/24\n`);
    setTimeout(() => response.end(lines.join('')), this.delay);
  });

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
