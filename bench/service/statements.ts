/**
 * What the service asks of PostgreSQL: statements, BEGIN and COMMIT among them, of an idle `app-all`, of a further process beside it, and of
 * single requests and refreshes (less what an idle service sends in that time), as the server logs them. Beside it, how soon a job begins.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { machine, median } from '../measure/report.ts';
import { logStatements, StatementLog } from '../measure/statement-log.ts';

const SETTLE_MS = 8_000;
const WATCH_SECONDS = 20;
/** After an operation, until what it leaves to the background is done. */
const AFTER_MS = 1_500;
const ROUNDS = 5;
const GOALS = { idle: 5, further: 2, refresh: 40, beginMs: 50 } as const;

export async function run(args: readonly string[]): Promise<void> {
  const isListed = args.includes('-v');
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  await logStatements(dataDir);
  const start = async (): Promise<Service> =>
    Service.start({
      ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}`, command: COMMAND },
      env: { APP_RATE_LIMIT_READS: '0', APP_RATE_LIMIT_WRITES: '0' },
    });
  const service = await start();
  try {
    const log = new StatementLog(dataDir);
    await sleep(SETTLE_MS);
    const idle = await perSecond(log);
    report('statements a second, idle app-all', idle, GOALS.idle);
    if (!args.includes('--alone')) await beside(log, start, idle);
    await operations(service, log, idle, isListed);
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

async function beside(log: StatementLog, start: () => Promise<Service>, alone: number): Promise<void> {
  const further = await start();
  await sleep(SETTLE_MS);
  report('more of them with a second app-all', (await perSecond(log)) - alone, GOALS.further);
  await further.stop();
}

async function perSecond(log: StatementLog): Promise<number> {
  log.forget();
  await sleep(WATCH_SECONDS * 1000);
  return log.read().length / WATCH_SECONDS;
}

async function operations(
  service: Service,
  log: StatementLog,
  idle: number,
  isListed: boolean,
): Promise<void> {
  const list = new List();
  const url = await list.open();
  const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'list', type: 'CDN_SOURCES' });
  const module = `/v1/modules/${id}`;
  await service.post(`${module}/cdn-sources`, { name: 'list', url, format: 'text' });
  const ranges = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  await sleep(SETTLE_MS);
  const waits: number[] = [];
  const refresh = async (): Promise<void> => {
    const job = await service.post<{ id: string }>(`${module}/refresh`);
    await service.succeeded(job);
    const { created_at, started_at } = await service.get<{ created_at: string; started_at: string }>(
      `/v1/jobs/${job.id}`,
    );
    waits.push(Date.parse(started_at) - Date.parse(created_at));
  };
  const measure = async (title: string, act: () => Promise<unknown>, goal?: number): Promise<void> => {
    const counts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(AFTER_MS);
      log.forget();
      const begun = performance.now();
      await act();
      await sleep(AFTER_MS);
      const statements = log.read();
      counts.push(statements.length - (idle * (performance.now() - begun)) / 1000);
      if (isListed && round === ROUNDS - 1)
        for (const { application, session, text } of statements)
          console.log(`  ${application} ${session} ${text.slice(0, 200)}`);
    }
    report(title, median(counts), goal);
  };
  // Waiting for the job by the API would be counted too.
  const request = async (): Promise<void> => void (await service.post(`${module}/refresh`));
  await refresh();
  await measure('statements of a refresh, source unchanged', request, GOALS.refresh);
  const change = async (): Promise<void> => {
    list.change();
    await request();
  };
  await measure('statements of a refresh, source changed, until applied', change);
  await measure('statements of GET of a module', () => service.get(module));
  let edits = 0;
  await measure('statements of PATCH of a module', () =>
    service.call('PATCH', module, { description: String(edits++) }),
  );
  await measure('statements of POST of an entry until its revision', () =>
    service.post(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: `9.${edits++}.0.0/16` }),
  );
  for (let round = 0; round < ROUNDS * 4; round++) await refresh();
  report('ms until a job begins', median(waits), GOALS.beginMs);
  await list.close();
}

/** A list behind a URL that is what it was until it is changed. */
class List {
  readonly #server: Server = createServer((_, response) => response.end(`5.${this.#second}.0.0/24\n`));
  #second = 0;

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/list`;
  }

  change(): void {
    this.#second++;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function report(title: string, value: number, goal?: number): void {
  const judged = goal === undefined ? '' : `  goal ${goal}: ${value <= goal ? 'met' : 'NOT met'}`;
  console.log(`${title.padEnd(50)} ${value.toFixed(1).padStart(7)}${judged}`);
}
