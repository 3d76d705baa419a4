/**
 * A module of 100,000 entries as files: what `plan` and `apply -f` cost where they are new, where nothing has changed, and where ten have. Processor times
 * are of the command, the service and its database, until what follows of it has ended; other work on the machine disturbs them less than the clock.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { postmasterOf, processorMsOf } from '../measure/processor-time.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { machine } from '../measure/report.ts';
import { untilIdle } from '../measure/until-idle.ts';

const ENTRIES = 100_000;

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
      const before = { service: processorMsOf(service.pid), database: processorMsOf(postmaster) };
      const began = performance.now();
      const line = ['-c', '"$0" "$@"; status=$?; times >&2; exit $status', process.execPath, COMMAND];
      const { code, err } = await ended('sh', [...line, ...words], env);
      const time = performance.now() - began;
      if (!codes.includes(code)) throw new Error(`${title} ended with ${code}: ${err}`);
      await untilIdle(service);
      const columns = [
        `${time.toFixed(0)} ms`,
        `${childrenMs(err).toFixed(0)} ms`,
        `${processorMsOf(service.pid) - before.service} ms`,
        `${processorMsOf(postmaster) - before.database} ms`,
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
