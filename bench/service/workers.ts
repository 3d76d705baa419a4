/**
 * `npm run bench -- workers`: how many refreshes two workers do in the time of one. Refreshes of many tenants wait before a worker starts; the rate
 * is from the start of the first to the end of the last, by the database's clock. Sources that answer after a second, as on the internet, bound a
 * worker by its places, which is what the goal is of; those that answer at once bound it by the processors of the machine, which it shares with the
 * database. On a busy machine workers mostly wait for a processor: `chrt -r 1 npm run bench -- workers`, as root, has them preferred to all else.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
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
/** Enough that what a process compiles and opens at its start is a small part. */
const MODULES = 15;
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
    const run = (workers: number): Promise<Drained> => drain(service, dataDir, tenants, workers);
    await run(2); // the first refresh of a module stores more
    for (const delay of DELAYS) {
      source.delay = delay;
      const runs: Record<1 | 2, Drained[]> = { 1: [], 2: [] };
      for (let round = 0; round < ROUNDS; round++)
        for (const workers of [1, 2] as const) runs[workers].push(await run(workers));
      const of = (workers: 1 | 2, member: keyof Drained): number =>
        median(runs[workers].map((drained) => drained[member]));
      const [one, two] = [of(1, 'rate'), of(2, 'rate')];
      const verdict = two / one >= GOAL ? 'met' : 'NOT met';
      const judged =
        delay > 0
          ? `goal ${GOAL}: ${verdict}`
          : `at most ${(1 / of(1, 'share')).toFixed(2)} by the processors`;
      console.log(
        `sources that answer after ${delay} ms: ${one.toFixed(1)} refreshes/s with one worker, ${two.toFixed(1)} with two, ratio ${(two / one).toFixed(2)}  ${judged}`,
      );
      for (const workers of [1, 2] as const)
        console.log(
          `  with ${workers}: ${of(workers, 'workers').toFixed(1)} ms of the workers' processor time a refresh, ${of(workers, 'database').toFixed(1)} ms of PostgreSQL's: ${(100 * of(workers, 'share')).toFixed(0)} % of all processors; ` +
            `${of(workers, 'waited').toFixed(1)} ms of waiting for one; a refresh takes ${of(workers, 'duration').toFixed(2)} s, ${of(workers, 'atOnce').toFixed(1)} at once`,
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

interface Drained {
  /** Refreshes a second. */
  readonly rate: number;
  /** Milliseconds of processor time for a refresh, from the start of the first one. */
  readonly workers: number;
  readonly database: number;
  /** Of the processors of the machine, that both had of them meanwhile. */
  readonly share: number;
  /** Seconds from the start of a refresh to its end, and how many were under way at once. */
  readonly duration: number;
  readonly atOnce: number;
  /** Milliseconds that the event loops of the workers waited for a processor, for a refresh: what other work on the machine takes. */
  readonly waited: number;
}

/** Requests a refresh of every module, and starts so many workers. */
async function drain(
  service: Service,
  dataDir: string,
  tenants: readonly Tenant[],
  workers: number,
): Promise<Drained> {
  const server = await startEmbeddedServer(dataDir);
  const client = new pg.Client({ ...server.address, user: 'postgres' });
  await client.connect();
  const since = await valueOf<Date>(client, 'SELECT clock_timestamp() AS value');
  for (const { key, modules } of tenants)
    for (const id of modules) await callWith(service, key)('POST', `/v1/modules/${id}/refresh`);
  const children = Array.from({ length: workers }, () => startWorker(dataDir));
  try {
    const postmaster = Number(
      readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'latin1').split('\n')[0],
    );
    const pids = children.map(({ pid }) => pid!);
    const of = (state: string): Promise<number> =>
      valueOf<number>(client, `SELECT count(*)::int AS value FROM prefixcast.job WHERE state IN (${state})`);
    const waiting = await of("'queued'");
    while ((await of("'queued'")) === waiting) await sleep(20);
    const begun = performance.now();
    const [ofWorkers, ofDatabase, waitedBefore] = [timeOf(pids), timeOfTree(postmaster), waitOf(pids)];
    while ((await of("'queued', 'running'")) > 0) await sleep(200);
    const [workersMs, databaseMs] = [timeOf(pids) - ofWorkers, timeOfTree(postmaster) - ofDatabase];
    const wall = performance.now() - begun;
    const waited = (waitOf(pids) - waitedBefore) / waiting;
    const { rows } = await client.query<Pick<Drained, 'rate' | 'duration' | 'atOnce'>>(
      `SELECT (count(*) / seconds)::float8 AS rate, avg(took)::float8 AS duration, (sum(took) / seconds)::float8 AS "atOnce"
         FROM (SELECT extract(epoch FROM finished_at - started_at) AS took,
                      extract(epoch FROM max(finished_at) OVER () - min(started_at) OVER ()) AS seconds
                 FROM prefixcast.job WHERE type = 'module_refresh' AND state = 'succeeded' AND created_at > $1) run
        GROUP BY seconds`,
      [since],
    );
    return {
      ...rows[0]!,
      ...{ waited, workers: workersMs / waiting, database: databaseMs / waiting },
      share: (workersMs + databaseMs) / wall / availableParallelism(),
    };
  } finally {
    for (const child of children) await stopProcess(child);
    await client.end();
    await server.close();
  }
}

/** Milliseconds of processor time (proc_pid_stat(5): hundredths of a second), with those of children that have ended. */
function timeOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    return sum + 10 * fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0);
  }, 0);
}

/** Milliseconds (proc/PID/schedstat: nanoseconds that its first thread was runnable and did not run). */
function waitOf(pids: readonly number[]): number {
  const waits = pids.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]));
  return waits.reduce((sum, wait) => sum + wait / 1e6, 0);
}

function timeOfTree(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .trim()
    .split(' ')
    .filter(Boolean);
  return timeOf([pid, ...children.map(Number)]);
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
