/**
 * What the service asks of PostgreSQL when nothing happens, and for one refresh: statements as the server counts them
 * (pg_stat_statements), of an idle `app-all`, of a further worker beside it, and of one refresh of a range. Beside it, how soon a job begins.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Service } from '../demo/service.ts';
import { startEmbeddedServer } from '../src/store/embedded/embedded-server.ts';
import { freePort } from '../test/daemons/ports.ts';
import { buildPublished, COMMAND } from './published.ts';
import { machine, median } from './report.ts';

const SETTLE_MS = 8_000;
const WATCH_SECONDS = 20;
const REFRESHES = 30;
const GOALS = { idle: 5, further: 2, refresh: 40, beginMs: 50 } as const;
/** How many of the most frequent statements are told with `-v`. */
const TOLD = 25;

export async function run(args: readonly string[]): Promise<void> {
  const isTold = args.includes('-v');
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  await countStatementsOf(dataDir);
  const start = async (service: string): Promise<Service> =>
    Service.start({
      ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}`, command: COMMAND },
      env: { APP_SERVICE: service, APP_RATE_LIMIT_READS: '0', APP_RATE_LIMIT_WRITES: '0' },
    });
  const service = await start('app-all');
  const counter = await Counter.open(dataDir);
  try {
    await sleep(SETTLE_MS);
    const idle = await counter.perSecond(isTold);
    tell('statements a second, idle app-all', idle, GOALS.idle);
    const further = await start('app-all');
    await sleep(SETTLE_MS);
    tell('more of them with a second app-all', (await counter.perSecond(false)) - idle, GOALS.further);
    await further.stop();
    await refreshes(service, counter, idle, isTold);
  } finally {
    await counter.close();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

async function refreshes(service: Service, counter: Counter, idle: number, isTold: boolean): Promise<void> {
  const { id } = await service.post<{ id: string }>('/v1/modules', {
    name: 'ranges',
    type: 'IP_RANGES',
  });
  await service.post(`/v1/modules/${id}/ip-range-entries`, { cidr: '8.8.8.0/24' });
  await sleep(SETTLE_MS);
  const waits: number[] = [];
  await counter.reset();
  const started = performance.now();
  for (let round = 0; round < REFRESHES; round++) {
    const job = await service.post<{ id: string }>(`/v1/modules/${id}/refresh`, {});
    const done = await service.get<{ created_at: string; started_at: string }>(`/v1/jobs/${job.id}?wait=30`);
    waits.push(Date.parse(done.started_at) - Date.parse(done.created_at));
  }
  const seconds = (performance.now() - started) / 1000;
  const statements = (await counter.count()) - idle * seconds;
  if (isTold) await counter.tell(REFRESHES);
  tell('statements of a refresh, with its requests', statements / REFRESHES, GOALS.refresh);
  tell('ms until a job begins', median(waits), GOALS.beginMs);
}

function tell(title: string, value: number, goal: number): void {
  console.log(
    `${title.padEnd(46)} ${value.toFixed(1).padStart(7)}  goal ${goal}: ${value <= goal ? 'met' : 'NOT met'}`,
  );
}

/** Has the embedded server count statements from its next start on. */
async function countStatementsOf(dataDir: string): Promise<void> {
  const server = await startEmbeddedServer(dataDir);
  const client = new pg.Client({ ...server.address, user: 'postgres' });
  await client.connect();
  await client.query(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
  await client.query(`ALTER SYSTEM SET pg_stat_statements.track_utility = on`);
  await client.end();
  await server.close();
}

class Counter {
  readonly #client: pg.Client;
  readonly #close: () => Promise<void>;

  private constructor(client: pg.Client, close: () => Promise<void>) {
    this.#client = client;
    this.#close = close;
  }

  static async open(dataDir: string): Promise<Counter> {
    const server = await startEmbeddedServer(dataDir);
    const client = new pg.Client({ ...server.address, user: 'postgres', application_name: 'counter' });
    await client.connect();
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    return new Counter(client, async () => {
      await client.end();
      await server.close();
    });
  }

  async reset(): Promise<void> {
    await this.#client.query('SELECT pg_stat_statements_reset()');
  }

  async count(): Promise<number> {
    const { rows } = await this.#client.query<{ calls: number }>(
      `SELECT coalesce(sum(calls), 0)::float8 AS calls FROM pg_stat_statements WHERE query !~ 'pg_stat_statements'`,
    );
    return rows[0]!.calls;
  }

  async perSecond(isTold: boolean): Promise<number> {
    await this.reset();
    await sleep(WATCH_SECONDS * 1000);
    const calls = await this.count();
    if (isTold) await this.tell(WATCH_SECONDS);
    return calls / WATCH_SECONDS;
  }

  async tell(divisor: number): Promise<void> {
    const { rows } = await this.#client.query<{ calls: number; query: string }>(
      `SELECT calls::float8, left(regexp_replace(query, '\\s+', ' ', 'g'), 150) AS query FROM pg_stat_statements
        WHERE query !~ 'pg_stat_statements' ORDER BY calls DESC LIMIT ${TOLD}`,
    );
    for (const { calls, query } of rows)
      console.log(`  ${(calls / divisor).toFixed(2).padStart(6)}  ${query}`);
  }

  async close(): Promise<void> {
    await this.#close();
  }
}
