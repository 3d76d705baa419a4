/**
 * A module of 100,000 entries as files: what `plan` and `apply -f` cost where they are new, where nothing has changed, and where ten have. Processor times
 * are of the command, the service and its database, until what follows of it has ended; other work on the machine disturbs them less than the clock.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { machine } from '../measure/report.ts';

const ENTRIES = 100_000;
/** Of a tick, in milliseconds: sysconf(_SC_CLK_TCK) is 100 on every Linux. */
const TICK_MS = 10;
const LOOK_MS = 100;

export async function run(): Promise<void> {
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const lists = await mkdtemp(join(tmpdir(), 'prefixcast-lists-'));
  const options = { dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` };
  const service = await Service.start({ ...options, command: COMMAND });
  try {
    const env = { ...process.env, PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key };
    const text =
      'kind: set\nname: bench\n---\nkind: module\nname: long\ntype: IP_RANGES\nentries: long.csv\n';
    writeFileSync(join(lists, 'long.yaml'), text);
    const write = (from: number): void => writeFileSync(join(lists, 'long.csv'), csv(from));
    const postmaster = postmasterOf(dataDir);
    const measure = async (title: string, codes: readonly number[], ...words: string[]): Promise<void> => {
      await untilIdle(service);
      const before = { service: ticksOf(service.pid), database: ticksOf(postmaster) };
      const began = performance.now();
      const line = ['-c', '"$0" "$@"; status=$?; times >&2; exit $status', process.execPath, COMMAND];
      const { code, err } = await ended('sh', [...line, ...words], env);
      const time = performance.now() - began;
      if (!codes.includes(code)) throw new Error(`${title} ended with ${code}: ${err}`);
      await untilIdle(service);
      const columns = [
        `${time.toFixed(0)} ms`,
        `${childrenMs(err).toFixed(0)} ms`,
        `${(ticksOf(service.pid) - before.service) * TICK_MS} ms`,
        `${(ticksOf(postmaster) - before.database) * TICK_MS} ms`,
      ];
      console.log(`${title.padEnd(30)}${columns.map((column) => column.padStart(12)).join('')}`);
    };
    console.log(`${machine()}; ${ENTRIES} entries\n`);
    console.log(`${''.padEnd(30)}        time     command     service    database`);
    write(0);
    await measure('plan, all of it new', [3], 'plan', '-f', lists);
    await measure('apply, all of it new', [0, 5], 'apply', '-f', lists);
    await measure('plan, nothing changed', [0], 'plan', '-f', lists);
    write(10);
    await measure('plan, ten are others', [3], 'plan', '-f', lists);
    await measure('apply, ten are others', [0, 5], 'apply', '-f', lists);
  } finally {
    await service.stop();
    for (const one of [dataDir, lists]) await rm(one, { recursive: true, force: true });
  }
}

function csv(from: number): string {
  const lines = Array.from({ length: ENTRIES }, (_, at) => {
    const bits = (from + at) * 2;
    return `${11 + (bits >>> 24)}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}/32,note ${from + at}`;
  });
  return `cidr,note\n${lines.join('\n')}\n`;
}

function ended(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(program, words, { env, maxBuffer: 1e8 }, (error, _out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), err }),
    );
  });
}

/** The last line of what the shell says of times: user and system of what it has waited for. */
function childrenMs(said: string): number {
  const last = said.trim().split('\n').at(-1) ?? '';
  return [...last.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}

interface Pending {
  readonly pending_changes: { readonly count: number };
}

/** No job is open, and every edit is in a revision, or held. */
async function untilIdle(service: Service): Promise<void> {
  const isIdle = async (): Promise<boolean> => {
    for (const state of ['queued', 'running'])
      if ((await service.get<{ items: unknown[] }>(`/v1/jobs?state=${state}`)).items.length > 0) return false;
    const { items } = await service.get<{ items: Pending[] }>('/v1/modules');
    return items.every(({ pending_changes: { count } }) => count === 0);
  };
  while (!(await isIdle())) await sleep(LOOK_MS);
}

/** Of the embedded server. */
function postmasterOf(dataDir: string): number {
  const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('postmaster.pid'),
  );
  return Number(readFileSync(join(dataDir, file!), 'utf8').split('\n')[0]);
}

/** Processor time of a process with its children, ended ones too. Linux only. */
function ticksOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((one) => one !== '');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return children.reduce((sum, child) => sum + ticksOf(Number(child)), own);
}
