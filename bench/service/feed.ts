/**
 * `npm run bench -- feed`: a feed of a million prefixes as text, over HTTP beside nginx that serves the same file. wrk asks both in turns: with the
 * tag of what it has (304), and without (200, all of it). What bounds the first is asked as well: `node:http` that answers nothing at once. Rates
 * suffer from other work on the machine, the processor time of a request does not.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import { addList } from '../bgp/refresh.ts';
import { installedPath } from '../measure/process.ts';
import { ownProcessorMsOf } from '../measure/processor-time.ts';
import { startBare } from './http-load.ts';
import { machine, median } from '../measure/report.ts';

const PREFIXES = 1_000_000;
const ROUNDS = 5;
const SECONDS = 4;
const KNOWN_GOAL = 0.5;
const WHOLE_GOAL = 0.3;
const WRK = installedPath('wrk');

interface Place {
  readonly url: string;
  /** Of the processes that answer. */
  readonly pids: readonly number[];
  /** Of the content. */
  readonly tag: string;
  readonly bytes: Buffer;
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-bench-'));
  chmodSync(directory, 0o755); // nginx reads as another user
  const service = await Service.start({
    ...{ dataDir: directory, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` },
    env: { APP_LOG_LEVEL: 'warn' },
  });
  let nginx: ChildProcess | null = null;
  try {
    const ours = await look(await makeFeed(service), [service.pid]);
    const port = await freePort();
    nginx = startNginx(directory, port, ours.bytes);
    const { pid = 0 } = nginx;
    const url = `http://127.0.0.1:${port}/feed.txt`;
    const theirs = await waitFor(() => look(url, workersOf(pid)).catch(() => undefined), { what: 'nginx' });
    if (!theirs.bytes.equals(ours.bytes)) throw new Error('nginx serves another file');
    console.log(`${PREFIXES} prefixes, ${ours.bytes.length} bytes; medians of ${ROUNDS} rounds in turns`);
    const bare = await startBare(0);
    await compare('known, 304', { ours, theirs }, KNOWN_GOAL, 'requests');
    const bound = await wrk({ ...ours, url: `http://127.0.0.1:${bare.port}/`, pids: [] }, 'requests');
    console.log(`  node:http that answers nothing: ${bound.perSecond.toFixed(0)} requests/s`);
    bare.stop();
    await compare('whole, 200', { ours, theirs }, WHOLE_GOAL, 'bytes');
  } finally {
    nginx?.kill();
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  console.log(machine());
}

/** Every second /32, which nothing joins, so that each line is a prefix. @returns where it is fetched */
async function makeFeed(service: Service): Promise<string> {
  const lines = Array.from({ length: PREFIXES }, (_, n) => {
    const word = 0x2c000000 + 2 * n;
    return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}\n`;
  });
  const server = createServer((_request, response) => response.end(lines.join('')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await service.call('PATCH', '/v1/settings', { guard_max_prefixes: 2 * PREFIXES, auto_revision: false });
    const list = await addList(service, `http://127.0.0.1:${port}/list`);
    await service.succeeded(await service.post(`/v1/modules/${list}/refresh`));
  } finally {
    server.close();
  }
  const feed = await service.post<{ path: string; token: string }>('/v1/feeds', { name: 'bench' });
  const url = `${service.url}${feed.path}?token=${feed.token}`;
  await waitFor(async () => (await fetch(url)).ok || undefined, { what: 'the feed', timeoutMs: 300_000 });
  return url;
}

async function look(url: string, pids: readonly number[]): Promise<Place> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const tag = answer.headers.get('etag');
  if (!answer.ok || tag === null) throw new Error(`${url} answers ${answer.status}`);
  return { url, pids, tag, bytes };
}

function startNginx(directory: string, port: number, bytes: Buffer): ChildProcess {
  writeFileSync(join(directory, 'feed.txt'), bytes);
  const file = join(directory, 'nginx.conf');
  // As Debian configures it, as far as it concerns files.
  writeFileSync(
    file,
    `daemon off;
worker_processes auto;
pid ${directory}/nginx.pid;
error_log stderr warn;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
  server { listen 127.0.0.1:${port}; root ${directory}; }
}
`,
  );
  return spawn(installedPath('nginx'), ['-c', file, '-p', directory], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Requests that know the content, or bytes of the whole of it. */
type Unit = 'requests' | 'bytes';

interface Rate {
  readonly perSecond: number;
  /** Microseconds of processor time of who answers. */
  readonly ofRequest: number;
}

async function compare(
  title: string,
  { ours, theirs }: { readonly ours: Place; readonly theirs: Place },
  goal: number,
  unit: Unit,
): Promise<void> {
  const rates = { ours: [] as Rate[], theirs: [] as Rate[] };
  await wrk(ours, unit); // code gets compiled
  for (let round = 0; round < ROUNDS; round++) {
    rates.theirs.push(await wrk(theirs, unit));
    rates.ours.push(await wrk(ours, unit));
  }
  const of = (some: readonly Rate[], member: keyof Rate): number => median(some.map((rate) => rate[member]));
  const [own, peer] = [of(rates.ours, 'perSecond'), of(rates.theirs, 'perSecond')];
  const shown = (rate: number): string =>
    unit === 'bytes' ? `${(rate / 1e6).toFixed(0)} M` : rate.toFixed(0);
  const verdict = own / peer >= goal ? 'met' : 'NOT met';
  console.log(
    `${title}: ${shown(own)} of nginx's ${shown(peer)} ${unit}/s, ratio ${(own / peer).toFixed(2)}  goal ${goal}: ${verdict}`,
  );
  const [ownTime, peerTime] = [of(rates.ours, 'ofRequest'), of(rates.theirs, 'ofRequest')];
  console.log(
    `  processor time of a request: ${ownTime.toFixed(1)} us, of nginx's ${peerTime.toFixed(1)} us, ratio ${(peerTime / ownTime).toFixed(2)}`,
  );
}

async function wrk({ url, tag, pids }: Place, unit: Unit): Promise<Rate> {
  const before = processorTime(pids);
  const { stdout } = await promisify(execFile)(WRK, [
    ...['-t', '1', '-c', '16', '-d', `${SECONDS}s`],
    ...(unit === 'requests' ? ['-H', `If-None-Match: ${tag}`] : []),
    url,
  ]);
  const [, requests, bytes] = /(\d+) requests in [^,]+, (\S+) read/.exec(stdout) ?? [];
  if (requests === undefined || stdout.includes('Non-2xx')) throw new Error(stdout);
  return {
    perSecond: (unit === 'requests' ? Number(requests) : readSize(bytes!)) / SECONDS,
    ofRequest: (processorTime(pids) - before) / Number(requests),
  };
}

/** Microseconds of all that they have done. */
function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ownProcessorMsOf(pid), 0) * 1_000;
}

/** Of a process that has one thread. */
function workersOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

/** As wrk writes it: `1.23GB`, by powers of 1,024. */
function readSize(text: string): number {
  const [, number, unit] = /^([\d.]+)([KMGT]?)B$/.exec(text)!;
  return Number(number) * 1_024 ** ['', 'K', 'M', 'G', 'T'].indexOf(unit!);
}
