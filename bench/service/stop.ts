/**
 * `npm run bench -- stop [SESSIONS]`: a tenant with a thousand sessions of the builtin speaker is stopped, and started again. Receivers of
 * our own, in processes of their own, say when the last session has ended by a Hard Reset: after any other end, routes would stay by
 * graceful restart. Another tenant's sessions must not notice.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPEN_POLICY } from '../../src/api/access/tenant-policy.ts';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import type { FromReceivers, ToReceivers } from '../bgp/receivers.ts';
import { machine, median } from '../measure/report.ts';

const ROUTES = 1_000;
const OTHERS = 10;
const ROUNDS = 3;
const GOAL_MS = 2_000;
const PEER_ASN = 65_001;

/** @param args the number of sessions; 1,000 where nothing is said */
export async function run([given = '1000']: readonly string[]): Promise<void> {
  const sessions = Number(given);
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: '127.0.0.1:0' },
    env: { APP_LOG_LEVEL: 'error', APP_RATE_LIMIT_WRITES: '0', APP_PEER_ALLOW: '127.0.0.0/8' },
  });
  const receivers = [startReceivers(), startReceivers()] as const;
  try {
    const stopped = await Tenant.create(service, 'stopped', 64_512, receivers[0]);
    const other = await Tenant.create(service, 'other', 64_513, receivers[1]);
    await other.cast(1, OTHERS);
    await stopped.cast(2, sessions);
    await measure(service, stopped, other);
  } finally {
    for (const child of receivers) child.kill();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

async function measure(service: Service, stopped: Tenant, other: Tenant): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const end = stopped.ended();
    const began = Date.now();
    await service.post(`/v1/tenants/${stopped.id}/stop`);
    const { ended, told, lastEnd } = await end;
    times.push(lastEnd - began);
    console.log(
      `${ended} sessions ended, ${told} of them by a Hard Reset, the last after ${times.at(-1)} ms`,
    );
    const again = Date.now();
    const back = stopped.announced();
    await service.call('PATCH', `/v1/tenants/${stopped.id}`, { status: 'active' });
    await back;
    console.log(`active again: all have all ${ROUTES} routes after ${Date.now() - again} ms`);
  }
  const { open, ended } = await other.now();
  console.log(`the other tenant: ${open} sessions are up, and ${ended} ended`);
  const verdict = median(times) <= GOAL_MS && open === OTHERS && ended === 0 ? 'met' : 'NOT met';
  console.log(`until the last has ended: ${median(times)} ms, goal ${GOAL_MS} ms: ${verdict}`);
}

function startReceivers(): ChildProcess {
  return fork(new URL('../bgp/receivers.ts', import.meta.url), { stdio: 'inherit' });
}

async function answer(child: ChildProcess, question: ToReceivers): Promise<FromReceivers> {
  const answered = once(child, 'message') as Promise<[FromReceivers]>;
  child.send(question);
  return (await answered)[0];
}

/** A tenant with one speaker, whose peers are receivers. */
class Tenant {
  readonly id: string;
  readonly #service: Service;
  readonly #key: string;
  readonly #asn: number;
  readonly #receivers: ChildProcess;
  #sessions = 0;

  private constructor(
    service: Service,
    { id, key }: { readonly id: string; readonly key: string },
    asn: number,
    receivers: ChildProcess,
  ) {
    this.id = id;
    this.#service = service;
    this.#key = key;
    this.#asn = asn;
    this.#receivers = receivers;
  }

  static async create(service: Service, slug: string, asn: number, receivers: ChildProcess): Promise<Tenant> {
    const { id, api_key } = await service.post<{ id: string; api_key: { secret: string } }>('/v1/tenants', {
      ...{ name: slug, slug, policy: OPEN_POLICY },
      quotas: { peers: 10_000, sessions: 10_000, jobs_queued: 10_000 },
    });
    return new Tenant(service, { id, key: api_key.secret }, asn, receivers);
  }

  /** Announces routes to so many receivers. @param network the third number of their addresses, beside those of other tenants */
  async cast(network: number, sessions: number): Promise<void> {
    const { port } = await answer(this.#receivers, { kind: 'listen', asn: PEER_ASN });
    const speaker = await this.#call<{ id: string }>('POST', '/v1/speakers', {
      ...{ name: 'edge', local_asn: this.#asn, enabled: false },
    });
    for (let number = 1; number <= sessions; number++)
      await this.#call('POST', '/v1/peers', {
        ...{ name: `receiver ${number}`, remote_asn: PEER_ASN, port, families: ['ipv4'] },
        address: `127.${network}.${number >> 8}.${number & 255}`,
      });
    const module = await this.#call<{ id: string }>('POST', '/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    });
    await this.#call('POST', `/v1/modules/${module.id}/ip-range-entries`, {
      items: Array.from({ length: ROUTES }, (_, n) => ({ cidr: `11.${n >> 7}.${(n & 127) * 2}.0/24` })),
    });
    this.#sessions = sessions;
    const announced = this.announced();
    await this.#call('PATCH', `/v1/speakers/${speaker.id}`, { enabled: true });
    await announced;
    const openJobs = async (): Promise<boolean> => {
      const { items } = await this.#call<{ items: unknown[] }>('GET', '/v1/jobs?state=queued&limit=1');
      return items.length === 0;
    };
    await waitFor(openJobs, { what: 'the jobs of the peers to end', timeoutMs: 300_000 });
    console.log(`${sessions} receivers of a tenant have ${ROUTES} routes each`);
  }

  /** Resolves when every receiver has every route. */
  announced(): Promise<FromReceivers> {
    return answer(this.#receivers, { kind: 'await', sessions: this.#sessions, routes: ROUTES });
  }

  /** Resolves when every session has ended. */
  ended(): Promise<FromReceivers> {
    return answer(this.#receivers, { kind: 'await-ends', sessions: this.#sessions });
  }

  now(): Promise<FromReceivers> {
    return answer(this.#receivers, { kind: 'await-ends', sessions: 0 });
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const response = await this.#service.request(method, path, body, headers);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }
}
