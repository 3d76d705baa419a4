/**
 * How free the event loop of the whole service stays while ten million lines go through one refresh: the delay of its timers, the
 * processor time that its thread takes from one timer to the next, and the time of `/v1/health` as a client in another thread
 * sees it. Beside it, the same figures of the idle service: on a machine with other work the operating system alone takes the
 * processor away for longer than the goal allows, which delays timers but takes no processor time of ours.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { startService } from '../../src/main.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import type { ClientTask, Latency } from './loop-client.ts';
import { BusyMonitor } from '../measure/busy-monitor.ts';
import { machine } from '../measure/report.ts';

const SOURCES = 5;
const LINES = 2_000_000;
const IDLE_MS = 5_000;
const GOALS = { loop: 20, health: 50 } as const;
/** Of the timer that measures: what it waits for when nothing delays it is no delay. */
const RESOLUTION_MS = 1;

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const env = {
    APP_SERVICE: 'app-all',
    APP_HOST: '127.0.0.1',
    APP_PORT: String(await freePort()),
    APP_DATA_DIR: dataDir,
    APP_BGP_LISTEN: `127.0.0.1:${await freePort()}`,
    APP_FETCH_ALLOW: '127.0.0.1/32',
  };
  const platform = { isRoot: process.getuid?.() === 0, home: dataDir };
  const service = await startService(parseConfig(env, platform as never), pino({ level: 'silent' }));
  const client = new Client(service.url!, readFileSync(join(dataDir, 'bootstrap-key'), 'utf8').trim());
  try {
    const { origin } = await client.ask<{ origin: string }>({
      kind: 'serve',
      sources: SOURCES,
      lines: LINES,
    });
    report('idle', await observe(client, () => sleep(IDLE_MS)));
    await client.autoApply(false);
    const moduleId = await client.addModule('all', origin, SOURCES);
    for (const what of ['first refresh', 'refresh that changes one source of five']) {
      report(`${what} of ${SOURCES * LINES} lines`, await observe(client, () => client.refresh(moduleId)));
    }
    await client.disable(moduleId);
    await client.autoApply(true);
    const routes = await client.addModule('routes', `${origin}/half`, 1);
    report(`refresh and apply of ${LINES / 2} lines`, await observe(client, () => client.refresh(routes)));
  } finally {
    await client.close();
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

interface Observation {
  readonly seconds: number;
  readonly loop: Latency;
  readonly busy: Latency;
  readonly health: Latency;
  readonly rss: number;
}

/** Delays in milliseconds while `work` goes on. */
async function observe(client: Client, work: () => Promise<unknown>): Promise<Observation> {
  await client.ask({ kind: 'probe' });
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const busy = new BusyMonitor();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  delays.disable();
  const held = busy.end();
  const health = await client.ask<Latency>({ kind: 'probed' });
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const loop = {
    p99: milliseconds(delays.percentile(99)),
    max: milliseconds(delays.max),
    count: delays.count,
  };
  return { seconds, loop, busy: held, health, rss: process.memoryUsage.rss() };
}

function report(what: string, { seconds, loop, busy, health, rss }: Observation): void {
  const shown = ({ p99, max }: Latency): string => `p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms`;
  const verdict = (value: number, goal: number): string =>
    `goal ${goal} ms: ${value <= goal ? 'met' : 'NOT met'}`;
  console.log(`${what}: ${seconds.toFixed(1)} s, ${(rss / 2 ** 20).toFixed(0)} MiB`);
  console.log(`  timers late  ${shown(loop)}`);
  console.log(`  loop held    ${shown(busy)} (${verdict(busy.max, GOALS.loop)})`);
  console.log(`  /v1/health   ${shown(health)} of ${health.count} (${verdict(health.max, GOALS.health)})`);
}

/** All that is not the service: in a thread, so that it holds no loop but its own. */
class Client {
  readonly #worker: Worker;
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
    this.#worker = new Worker(new URL('loop-client.ts', import.meta.url), { workerData: { url, key } });
  }

  ask<Answer>(task: ClientTask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#worker.once('error', reject);
      this.#worker.once('message', (answer: Answer) => {
        this.#worker.off('error', reject);
        resolve(answer);
      });
      this.#worker.postMessage(task);
    });
  }

  async addModule(name: string, origin: string, sources: number): Promise<string> {
    const { id } = await this.#send<{ id: string }>('POST', '/v1/modules', { name, type: 'CDN_SOURCES' });
    const items = Array.from({ length: sources }, (_, i) => ({ name: `list ${i}`, url: `${origin}/${i}` }));
    await this.#send('POST', `/v1/modules/${id}/cdn-sources`, { items });
    return id;
  }

  async disable(moduleId: string): Promise<void> {
    await this.#send('PATCH', `/v1/modules/${moduleId}`, { enabled: false });
  }

  async autoApply(isOn: boolean): Promise<void> {
    await this.#send('PATCH', '/v1/settings', { auto_apply: isOn });
  }

  /** Until the refresh and the apply that it queues have ended. */
  async refresh(moduleId: string): Promise<void> {
    const job = await this.#send<{ id: string }>('POST', `/v1/modules/${moduleId}/refresh`, {});
    await this.ask({ kind: 'wait', jobId: job.id });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #send<T>(method: string, path: string, body: object): Promise<T> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
