/**
 * A thousand nodes on one API process: how much they ask of it while nothing happens, and how long it takes until the last of them has
 * verified a new revision. Nodes, worker and database share the machine with it.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPEN_POLICY } from '../../src/api/access/tenant-policy.ts';
import { stopProcess } from '../../demo/program.ts';
import { Service } from '../../demo/service.ts';
import type { NodeEnrolled } from '../../src/api/nodes/nodes.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { startClients, type Taken } from './agent-clients.ts';
import { machine, median } from '../measure/report.ts';

const PREFIXES = 10_000;
/** Of which every new revision changes so many. */
const CHANGES = 100;
const ROUNDS = 3;
const QUIET_SECONDS = 20;
const LONGEST_MILLISECONDS = 300_000;
/** Clock ticks a second of /proc, which is the same on every Linux. */
const TICKS = 100;

const command = join(import.meta.dirname, '../../src/prefixcast.ts');

/** @param args the number of nodes; 1,000 where nothing is said */
export async function run([given = '1000']: readonly string[]): Promise<void> {
  const count = Number(given);
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const env = { APP_LOG_LEVEL: 'warn', APP_RATE_LIMIT_NODES: '0', APP_RATE_LIMIT_WRITES: '0' };
  const port = await freePort();
  const service = await Service.start({
    ...{ dataDir, port, bgpListen: '127.0.0.1:0' },
    env: { ...env, APP_SERVICE: 'app-api' },
  });
  const worker = spawn(process.execPath, [command, 'start'], {
    env: { ...process.env, ...env, APP_SERVICE: 'app-worker', APP_DATA_DIR: dataDir, DATABASE_URL: '' },
    stdio: 'ignore',
  });
  try {
    await measure(await Tenant.create(service, count), count);
  } finally {
    await stopProcess(worker);
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

async function measure(tenant: Tenant, count: number): Promise<void> {
  const began = performance.now();
  const nodes: NodeEnrolled[] = [];
  for (let number = 0; number < count; number++) nodes.push(await tenant.addNode(number));
  const rate = (count * 3_000) / (performance.now() - began);
  console.log(
    `${count} speakers made, tokens made and nodes enrolled: ${rate.toFixed(0)} requests/s, one after the other`,
  );

  const taken: Taken[] = [];
  const failures: string[] = [];
  const clients = await startClients(
    { url: tenant.service.url, nodes },
    (one) => taken.push(one),
    ({ why }) => failures.push(why),
  );
  try {
    const first = await spread(tenant, taken, count);
    console.log(
      `the first ${PREFIXES} prefixes, whole: the last of ${count} nodes had them after ${shown(first.last)}`,
    );
    await quiet(tenant, count);
    const spreads: Spread[] = [];
    for (let round = 0; round < ROUNDS; round++) spreads.push(await spread(tenant, taken, count));
    const of = (name: keyof Spread): string => shown(median(spreads.map((one) => one[name])));
    console.log(
      `a revision with ${CHANGES} changes, from POST /v1/apply: half of the nodes had verified it after ${of('half')}, the last after ${of('last')}, and the job had heard from all after ${of('told')}; medians of ${ROUNDS}`,
    );
    const example = failures.length === 0 ? '' : `, such as ${failures[0]}`;
    console.log(`questions and bundles that failed and were tried again: ${failures.length}${example}`);
    console.log(`memory of the API process: ${memoryOf(tenant.service.pid).toFixed(0)} MB at most`);
  } finally {
    await stopProcess(clients, 'SIGKILL');
  }
}

/** What nodes cost that wait and report. */
async function quiet({ service }: Tenant, count: number): Promise<void> {
  await sleep(5_000);
  const [cpu, requests] = [cpuOf(service.pid), await requestsOf(service)];
  await sleep(QUIET_SECONDS * 1_000);
  const used = cpuOf(service.pid) - cpu;
  const perSecond = ((await requestsOf(service)) - requests) / QUIET_SECONDS;
  console.log(
    `${count} nodes that wait and report every 5 s: ${perSecond.toFixed(0)} requests/s, ${((used / QUIET_SECONDS) * 100).toFixed(0)} % of a core, ${((used * 1000) / (perSecond * QUIET_SECONDS)).toFixed(2)} ms of processor time a request`,
  );
}

interface Spread {
  /** Milliseconds until half of the nodes had it, */
  readonly half: number;
  /** until the last had it, */
  readonly last: number;
  /** and until the job ended that waits for their reports. */
  readonly told: number;
}

async function spread(tenant: Tenant, taken: Taken[], count: number): Promise<Spread> {
  const revisionId = await tenant.nextRevision();
  taken.length = 0;
  const began = Date.now();
  const job = await tenant.call<{ id: string }>('POST', '/v1/apply', { revision_id: revisionId });
  const times = (): number[] =>
    taken.filter((one) => one.revisionId === revisionId).map(({ at }) => at - began);
  while (times().length < count) {
    if (Date.now() - began > LONGEST_MILLISECONDS)
      throw new Error(`${times().length} of ${count} nodes have the revision`);
    await sleep(10);
  }
  await tenant.succeeded(job.id);
  const told = Date.now() - began;
  const sorted = times().sort((a, b) => a - b);
  return { half: sorted[sorted.length >> 1]!, last: sorted.at(-1)!, told };
}

/** A tenant of nothing but nodes, with one list. */
class Tenant {
  readonly service: Service;
  readonly #key: string;
  #moduleId = '';
  #revisions = 0;

  private constructor(service: Service, key: string) {
    this.service = service;
    this.#key = key;
  }

  static async create(service: Service, nodes: number): Promise<Tenant> {
    const quotas = { speakers: nodes, api_keys: nodes + 10 };
    const made = await service.post<{ api_key: { secret: string } }>('/v1/tenants', {
      name: 'Nodes',
      slug: 'nodes',
      quotas,
      policy: OPEN_POLICY,
    });
    const tenant = new Tenant(service, made.api_key.secret);
    await tenant.call('PATCH', '/v1/settings', { auto_apply: false });
    const module = { name: 'list', type: 'IP_RANGES' };
    tenant.#moduleId = (await tenant.call<{ id: string }>('POST', '/v1/modules', module)).id;
    return tenant;
  }

  async addNode(number: number): Promise<NodeEnrolled> {
    const body = { name: `node ${number}`, mode: 'agent', local_asn: 64512 };
    const { id } = await this.call<{ id: string }>('POST', '/v1/speakers', body);
    const { token } = await this.call<{ token: string }>('POST', `/v1/speakers/${id}/enrollment-tokens`);
    const machineOf = { hostname: `node-${number}`, version: 'bench', daemon: 'builtin' };
    return this.call<NodeEnrolled>('POST', '/v1/nodes/enroll', machineOf, token);
  }

  /** A revision that nobody runs yet. */
  async nextRevision(): Promise<string> {
    const from = this.#revisions++ * CHANGES;
    const lines = Array.from({ length: PREFIXES }, (_, i) => {
      const row = from + i;
      return `${20 + (row >> 15)}.${(row >> 7) & 255}.${(row & 127) * 2}.0/24`;
    });
    const csv = ['cidr', ...lines, ''].join('\n');
    await this.call('POST', `/v1/modules/${this.#moduleId}/entries.csv?mode=replace`, csv);
    const { id } = await this.call<{ id: string }>('POST', `/v1/modules/${this.#moduleId}/refresh`);
    return String((await this.succeeded(id)).revision_id);
  }

  async succeeded(jobId: string): Promise<Record<string, unknown>> {
    for (;;) {
      const job = await this.call<{ state: string; result: Record<string, unknown> }>(
        'GET',
        `/v1/jobs/${jobId}`,
      );
      if (job.state === 'succeeded') return job.result;
      if (job.state === 'failed') throw new Error(JSON.stringify(job));
      await sleep(20);
    }
  }

  async call<T>(method: string, path: string, body?: object | string, key = this.#key): Promise<T> {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const answer = await fetch(this.service.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

/** Seconds of processor time that the process has had. Linux only. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Most megabytes that the process has held. */
function memoryOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

async function requestsOf(service: Service): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const counts = text.matchAll(/^http_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

function shown(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
