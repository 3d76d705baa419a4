/**
 * What a tenant notices of a loud neighbour: the times of its reads, writes, lookups and imports while another tenant's operator attacks the same
 * process, beside those while nobody does. Quiet and loud rounds take turns; the ratio of the 99th hundredths is the goal.
 *
 * The attacker's client gets the processor time that nobody else wants, as far as the system can do that: a real one has a machine of its own.
 * How many of its requests were answered is told, so that an attack that was none is seen.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OPEN_POLICY } from '../../src/api/access/tenant-policy.ts';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import { machine } from '../measure/report.ts';

const ROUNDS = 3;
const ROUND_MS = 4_000;
/** Between two requests of the victim, who is a person or a script and no load. */
const PAUSE_MS = 5;
const GOAL = 3;
const LOG = 'long.log';

interface Tenant {
  readonly id: string;
  readonly key: string;
  readonly module: string;
  readonly base: string;
}

type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Response>;

function sender({ base, key }: Pick<Tenant, 'base' | 'key'>): Send {
  return async (method, path, body, type = 'application/json') => {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    return answer;
  };
}

async function makeTenant(service: Service, slug: string): Promise<Tenant> {
  const { id, api_key } = await service.post<{ id: string; api_key: { secret: string } }>('/v1/tenants', {
    name: slug,
    slug,
    policy: OPEN_POLICY,
  });
  const key = api_key.secret;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const made = await fetch(`${service.url}/v1/modules`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'ranges', type: 'IP_RANGES' }),
  });
  const { id: module } = (await made.json()) as { id: string };
  return { id, key, module, base: service.url };
}

/** What the victim does, each by its name; the number makes a request another than the one before. */
function worksOf(victim: Tenant): Readonly<Record<string, (n: number) => Promise<Response>>> {
  const send = sender(victim);
  const path = `/v1/modules/${victim.module}`;
  const row = (n: number): string => `8.${(n >> 8) & 255}.${n & 255}.0/24`;
  return {
    read: () => send('GET', path),
    write: (n) => send('PATCH', path, { description: `round ${n}` }),
    lookup: (n) => send('GET', `/v1/lookup?q=8.8.${n & 255}.1`),
    import: (n) => send('POST', `${path}/entries.csv`, `cidr\r\n${row(n)}\r\n`, 'text/csv'),
  };
}

/** Gives the attacker so many entries. */
async function fill(attacker: Tenant, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, n) => cidrOf(n)).join('\r\n');
  const path = `/v1/modules/${attacker.module}/entries.csv?mode=replace`;
  const { status } = await sender(attacker)('POST', path, `cidr\r\n${lines}\r\n`, 'text/csv');
  if (status !== 200) throw new Error(`The attacker's import was answered ${status}`);
}

function cidrOf(n: number): string {
  return `9.${(n >> 8) & 255}.${n & 255}.0/24`;
}

/** Serves a list of so many addresses, the same fifty thousand again and again. @returns its URL */
async function serveList(lines: number): Promise<string> {
  const known = 50_000;
  const line = (n: number): string => `20.${(n >> 12) & 255}.${(n >> 4) & 255}.${(n & 15) * 16}/32\n`;
  const piece = Buffer.from(Array.from({ length: known }, (_, n) => line(n)).join(''));
  const body = Buffer.concat(Array.from({ length: lines / known }, () => piece));
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
}

/** What the attacker does, again and again, so many at once; it begins for ever, once it has what it needs. */
const ATTACKS: Readonly<Record<string, (attacker: Tenant) => void | Promise<void>>> = {
  'nobody, twice': () => undefined,
  '60 parallel changes of one row': (attacker) => {
    const send = sender(attacker);
    repeat(60, (n) => send('PATCH', `/v1/modules/${attacker.module}`, { description: `x ${n}` }));
  },
  '12 parallel imports of 20,000 lines': (attacker) => {
    const send = sender(attacker);
    const path = `/v1/modules/${attacker.module}/entries.csv?mode=replace`;
    const lines = Array.from({ length: 20_000 }, (_, n) => cidrOf(n)).join('\r\n');
    repeat(12, () => send('POST', path, `cidr\r\n${lines}\r\n`, 'text/csv'));
  },
  '64 parallel reads': (attacker) => {
    const send = sender(attacker);
    repeat(64, (n) => send('GET', `/v1/modules?limit=${1 + (n % 500)}`));
  },
  '64 parallel lookups': (attacker) => {
    const send = sender(attacker);
    repeat(64, (n) => send('GET', `/v1/lookup?q=9.9.${n & 255}.1`));
  },
  '4 parallel bodies of 10,000 entries that are there': async (attacker) => {
    await fill(attacker, 10_000);
    const send = sender(attacker);
    const body = JSON.stringify({ items: Array.from({ length: 10_000 }, (_, n) => ({ cidr: cidrOf(n) })) });
    repeat(4, () => send('POST', `/v1/modules/${attacker.module}/ip-range-entries`, body));
  },
  '8 parallel exports of 50,000 entries': async (attacker) => {
    await fill(attacker, 50_000);
    const send = sender(attacker);
    repeat(8, () => send('GET', `/v1/modules/${attacker.module}/entries.csv`));
  },
  '8 parallel pages of 500 entries': async (attacker) => {
    await fill(attacker, 50_000);
    const send = sender(attacker);
    repeat(8, (n) => send('GET', `/v1/modules/${attacker.module}/ip-range-entries?limit=${500 - (n % 100)}`));
  },
  '8 parallel pages of 10,000 prefixes': async (attacker) => {
    const lines = Array.from({ length: 20_000 }, (_, n) => cidrOf(n).replace('/24', '/25')).join('\r\n');
    const path = `/v1/modules/${attacker.module}`;
    const send = sender(attacker);
    await send('POST', `${path}/entries.csv?mode=replace`, `cidr\r\n${lines}\r\n`, 'text/csv');
    await send('POST', `${path}/refresh?wait=30`);
    repeat(8, () => send('GET', '/v1/revisions/latest/prefixes?limit=10000'));
  },
  '100 parallel followers of a long log': ({ base, key }) => {
    const query = 'lines=10000&bytes=4194304&follow=true';
    const follow = async (): Promise<Response> => {
      const signal = AbortSignal.timeout(1_000);
      const headers = { authorization: `Bearer ${key}` };
      return await fetch(`${base}/v1/runtime-logs/files/${LOG}?${query}`, { headers, signal }).then(
        async (answer) => {
          await answer.body?.cancel();
          return answer;
        },
        () => new Response(null, { status: 504 }),
      );
    };
    repeat(100, follow);
  },
  '32 parallel wrong keys': ({ base }) => {
    repeat(32, () => sender({ base, key: mintApiKey('operator').secret })('GET', '/v1/modules'));
  },
  '4 parallel bodies of 15 MiB': (attacker) => {
    const send = sender(attacker);
    const body = `[${'[],'.repeat(5_000_000)}1]`;
    repeat(4, () => send('POST', `/v1/modules/${attacker.module}/ip-range-entries`, body));
  },
  '2 parallel previews of a list of 57 MB': async (attacker) => {
    const url = await serveList(3_500_000);
    const send = sender(attacker);
    repeat(2, () => send('POST', '/v1/cdn-sources/preview', { url, format: 'text' }));
  },
  '1,000 uploads that never end': (attacker) => {
    const { hostname, port } = new URL(attacker.base);
    const head = `POST /v1/modules/${attacker.module}/ip-range-entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacker.key}\r\n`;
    const open = async (): Promise<Response> => {
      const socket = connect(Number(port), hostname);
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[`);
      const drip = setInterval(() => socket.write(' '), 1_000);
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      clearInterval(drip);
      socket.destroy();
      return new Response(null, { status: Number(bytes.toString('latin1').split(' ')[1]) });
    };
    repeat(1_000, open);
  },
};

/** Answers that the attacker got, by status. */
const answered: Record<string, number> = {};

function repeat(atOnce: number, work: (n: number) => Promise<Response>): void {
  let n = 0;
  const again = async (): Promise<never> => {
    for (;;) {
      const { status } = await work(n++);
      answered[status] = (answered[status] ?? 0) + 1;
      if (status === 429 || status === 503) await sleep(50);
    }
  };
  for (let each = 0; each < atOnce; each++) again().catch(() => process.exit());
}

/** Begins an attack in a process of its own, so that the victim's client has no part in it; answers what ends it. */
async function attack(name: string, attacker: Tenant): Promise<() => Promise<string>> {
  const child = fork(fileURLToPath(import.meta.url), ['attack', name, JSON.stringify(attacker)], {
    // In a session of its own, which can be made to stand behind as a whole.
    detached: true,
  });
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);
  // A session has a share of its own where Linux shares the processors among sessions, whatever the priority of what is in it.
  await writeFile(`/proc/${child.pid!}/autogroup`, String(constants.priority.PRIORITY_LOW)).catch(
    () => undefined,
  );
  await once(child, 'message');
  // Until there is as much of it as there will be.
  await sleep(500);
  return async () => {
    child.send('How many?');
    const [counts] = (await once(child, 'message')) as [typeof answered];
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await sleep(500);
    return Object.entries(counts)
      .map(([status, count]) => `${count} with ${status}`)
      .join(', ');
  };
}

type Times = Record<string, number[]>;

async function measure(victim: Tenant, times: Times): Promise<void> {
  const works = Object.entries(worksOf(victim));
  const end = performance.now() + ROUND_MS;
  for (let n = 0; performance.now() < end; n++) {
    for (const [name, work] of works) {
      const started = performance.now();
      const { status } = await work(n);
      if (status >= 300) throw new Error(`The victim's ${name} was answered ${status}`);
      (times[name] ??= []).push(performance.now() - started);
      await sleep(PAUSE_MS);
    }
  }
}

function hundredth(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

function tell(attack: string, quiet: Times, loud: Times): void {
  console.log(attack);
  for (const [name, calm] of Object.entries(quiet)) {
    const shown = [0.5, 0.99].map((share) => {
      const [before, during] = [hundredth(calm, share), hundredth(loud[name]!, share)];
      return { text: `${before.toFixed(1)} -> ${during.toFixed(1)} ms`, ratio: during / before };
    });
    const [p50, p99] = shown as [(typeof shown)[0], (typeof shown)[0]];
    const verdict = p99.ratio <= GOAL ? 'met' : 'NOT met';
    console.log(
      `  ${name.padEnd(7)} p50 ${p50.text} (${p50.ratio.toFixed(1)} times), p99 ${p99.text} (${p99.ratio.toFixed(1)} times, goal ${GOAL}, ${verdict})`,
    );
  }
}

/** A word names the attacks that hold it. */
export async function run([only = '']: readonly string[]): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const logs = join(dataDir, 'logs');
  await mkdir(logs);
  const service = await Service.start({
    dataDir,
    port: await freePort(),
    bgpListen: `127.0.0.1:${await freePort()}`,
    env: {
      APP_LOG_LEVEL: 'error',
      APP_RUNTIME_LOGS_DIR: logs,
      APP_RATE_LIMIT_READS: '1000000000',
      APP_RATE_LIMIT_WRITES: '1000000000',
    },
  });
  try {
    const [victim, attacker] = [await makeTenant(service, 'victim'), await makeTenant(service, 'attacker')];
    const line = JSON.stringify({ level: 30, tenant_id: attacker.id, msg: 'x'.repeat(300) });
    await writeFile(join(logs, LOG), `${line}\n`.repeat(12_000));
    await measure(victim, {});
    for (const name of Object.keys(ATTACKS)) {
      if (!name.includes(only)) continue;
      const [quiet, loud]: [Times, Times] = [{}, {}];
      for (let round = 0; round < ROUNDS; round++) {
        await measure(victim, quiet);
        const end = await attack(name, attacker);
        await measure(victim, loud);
        console.log(`${name}: the attacker was answered ${(await end()) || 'nothing'}`);
      }
      tell(name, quiet, loud);
    }
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

if (process.argv[2] === 'attack') {
  await ATTACKS[process.argv[3]!]!(JSON.parse(process.argv[4]!) as Tenant);
  process.on('message', () => process.send!(answered));
  process.send!('begun');
  process.once('disconnect', () => process.exit());
}
