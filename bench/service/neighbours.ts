/**
 * What a tenant notices of a loud neighbour: the times of its reads, writes, lookups and imports while another tenant's operator attacks the same
 * process, beside those while nobody does. Quiet and loud rounds take turns; the ratio of the 99th hundredths is the goal.
 *
 * The attacker's client gets the processor time that nobody else wants, as far as the system can do that: a real one has a machine of its own.
 * How many of its requests were answered is told, so that an attack that was none is seen.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OPEN_POLICY } from '../../src/api/access/tenant-policy.ts';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { machine } from '../measure/report.ts';
import { answered, sender, type Tenant } from './attack-tools.ts';
import { ATTACKS, LOG, WEBHOOKS } from './neighbour-attacks.ts';

const ROUNDS = 3;
/** Of some 150 requests of each kind: with fewer, a single one decides the 99th hundredth. */
const ROUND_MS = 6_000;
/** Between two requests of the victim, who is a person or a script and no load. */
const PAUSE_MS = 5;
const GOAL = 3;

async function makeTenant(service: Service, slug: string): Promise<Tenant> {
  const { id, api_key } = await service.post<{ id: string; api_key: { secret: string } }>('/v1/tenants', {
    name: slug,
    slug,
    policy: OPEN_POLICY,
    quotas: { webhooks: WEBHOOKS },
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

/** Begins an attack in a process of its own, so that the victim's client has no part in it; answers what ends it. */
async function attack(name: string, attacker: Tenant): Promise<() => Promise<string>> {
  const child = fork(fileURLToPath(import.meta.url), ['attack', name, JSON.stringify(attacker)], {
    // In a session of its own, which can be made to stand behind as a whole.
    detached: true,
  });
  // Asked for before anything else is waited for: an attacker that has died says so once.
  const died = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) =>
      reject(new Error(`The attacker has ended (${signal ?? code}): ${name}`)),
    );
  });
  died.catch(() => undefined);
  const answers = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), died])) as [unknown];
    return message;
  };
  const begun = answers();
  await begun;
  // What it needs it has made by now.
  stepBack(child.pid!);
  // Until there is as much of it as there will be.
  await sleep(500);
  return async () => {
    const counts = answers();
    child.send('How many?', () => undefined);
    const told = Object.entries((await counts) as typeof answered);
    child.kill('SIGKILL');
    await died.catch(() => undefined);
    await sleep(500);
    return told.map(([status, count]) => `${count} with ${status}`).join(', ');
  };
}

/** Leaves the processors to everybody else, as far as the system can do that and the process still lives. */
function stepBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
    // A session has a share of its own where Linux shares the processors among sessions, whatever the priority of what is in it.
    writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
  } catch {
    // It shares them with the victim then.
  }
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
  const end = await ATTACKS[process.argv[3]!]!(JSON.parse(process.argv[4]!) as Tenant);
  process.on('message', () => void (end?.() ?? Promise.resolve()).then(() => process.send!(answered)));
  process.send!('begun');
  process.once('disconnect', () => process.exit());
}
