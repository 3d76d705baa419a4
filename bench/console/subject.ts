/** A service that has as much of everything as the console must show: made once, by requests, in a minute or two. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { addList } from '../bgp/refresh.ts';
import type { FromReceivers, ToReceivers } from '../bgp/receivers.ts';

export const ENTRIES = 100_000;
export const ROUTES = 1_000_000;
export const PEERS = 1_000;
export const MODULES = 10_000;
const SPEAKER_ASN = 64_512;
const PEER_ASN = 65_001;
/** Of one request. */
const MOST_CHANGES = 1_000;

export interface Subject {
  readonly service: Service;
  /** For files; it goes away at the end. */
  readonly directory: string;
  /** The module that has the entries, and is off. */
  readonly moduleId: string;
  /** One of the peers. */
  readonly peerId: string;
  /** Milliseconds of the import of the entries. */
  readonly importTime: number;
  close(): Promise<void>;
}

interface Made {
  readonly id: string;
}

export async function makeSubject(): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: '127.0.0.1:0' },
    env: {
      ...{ APP_LOG_LEVEL: 'error', APP_PEER_ALLOW: '127.0.0.0/8' },
      ...{ APP_RATE_LIMIT_WRITES: '0', APP_RATE_LIMIT_READS: '0' },
    },
  });
  const receivers = fork(new URL('../bgp/receivers.ts', import.meta.url), { stdio: 'inherit' });
  const close = async (): Promise<void> => {
    receivers.kill();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    return { ...(await fill(service, receivers)), service, directory: dataDir, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fill(
  service: Service,
  receivers: ChildProcess,
): Promise<Pick<Subject, 'moduleId' | 'peerId' | 'importTime'>> {
  const { items: tenants } = await service.get<{ items: Made[] }>('/v1/tenants');
  await service.call('PATCH', `/v1/tenants/${tenants[0]!.id}`, {
    quotas: {
      modules: 2 * MODULES,
      entries: 10 * ENTRIES,
      peers: 2 * PEERS,
      sessions: 2 * PEERS,
      jobs_queued: 10_000,
    },
  });
  await service.call('PATCH', '/v1/settings', {
    ...{ auto_apply: false, auto_revision: false, guard_max_prefixes: 2 * ROUTES },
  });
  const peerId = await addPeers(service, receivers);
  await addRoutes(service);
  const { id: moduleId } = await service.post<Made>('/v1/modules', {
    ...{ name: 'entries', type: 'IP_RANGES', enabled: false },
  });
  const started = performance.now();
  await importText(service, moduleId, entriesCsv());
  const importTime = performance.now() - started;
  await addModules(service);
  return { moduleId, peerId, importTime };
}

/** Every second /24 has a note, as people write them. @param from the first of them */
export function entriesCsv(count = ENTRIES, from = 0): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const n = from + at;
    return `${11 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.0/24,${n % 2 === 0 ? `customer ${n}` : ''},true,\n`;
  });
  return `cidr,note,enabled,community\n${lines.join('')}`;
}

async function importText(service: Service, moduleId: string, body: string): Promise<void> {
  const answer = await fetch(`${service.url}/v1/modules/${moduleId}/entries.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/csv' },
    body,
  });
  if (!answer.ok) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
}

/** A revision of one route, and one of a million more: every second /32, which nothing joins. */
async function addRoutes(service: Service): Promise<void> {
  const first = await service.post<Made>('/v1/modules', { name: 'one', type: 'IP_RANGES' });
  await service.post(`/v1/modules/${first.id}/ip-range-entries`, { cidr: '9.0.0.0/24' });
  await service.succeeded(await service.post('/v1/revisions'));
  const lines = Array.from({ length: ROUTES }, (_, n) => {
    const word = 0x2c00_0000 + 2 * n;
    return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}\n`;
  });
  const server = createServer((_request, response) => response.end(lines.join('')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const list = await addList(service, `http://127.0.0.1:${port}/list`);
    await service.succeeded(await service.post(`/v1/modules/${list}/refresh`));
    const { items } = await service.get<{ items: { number: number }[] }>('/v1/revisions?limit=1');
    if (items[0]!.number === 1) await service.succeeded(await service.post('/v1/revisions'));
  } finally {
    server.close();
  }
}

/** Sessions that are up, without routes: what the board shows of them is as much. @returns the id of the last one */
async function addPeers(service: Service, receivers: ChildProcess): Promise<string> {
  const answered = once(receivers, 'message') as Promise<[FromReceivers]>;
  receivers.send({ kind: 'listen', asn: PEER_ASN } satisfies ToReceivers);
  const [{ port }] = await answered;
  const { items } = await service.get<{ items: Made[] }>('/v1/speakers');
  const path = `/v1/speakers/${items[0]!.id}`;
  await service.call('PATCH', path, { enabled: false, local_asn: SPEAKER_ASN });
  let last = '';
  for (let number = 1; number <= PEERS; number++) {
    const { id } = await service.post<Made>('/v1/peers', {
      ...{ name: `router ${number}`, remote_asn: PEER_ASN, port, families: ['ipv4'] },
      address: `127.2.${number >> 8}.${number & 255}`,
    });
    last = id;
  }
  await service.call('PATCH', path, { enabled: true });
  return last;
}

async function addModules(service: Service): Promise<void> {
  const changes = Array.from({ length: MODULES }, (_, n) => ({
    ...{ method: 'POST', path: '/v1/modules' },
    body: { name: `customer ${n}`, type: 'IP_RANGES', description: `the networks of customer ${n}` },
  }));
  for (let at = 0; at < MODULES; at += MOST_CHANGES)
    await service.post('/v1/changes', { changes: changes.slice(at, at + MOST_CHANGES) });
}
