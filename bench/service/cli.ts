/**
 * Commands as whole processes beside `node -e 0`, in turns: the version, and one object out of a service on this machine. Beside them, what the Tab
 * key asks: names out of 999.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { compared, machine, within } from '../measure/report.ts';

const ROUNDS = 31;
const GOALS = { version: 1.3, get: 2 } as const;
/** As many as a tenant may have, with the one that is read. */
const MODULES = 999;
/** Of names at the Tab key, in milliseconds. */
const NAMES_GOAL = 300;

export async function run(): Promise<void> {
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const options = { dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` };
  const service = await Service.start({ ...options, command: COMMAND });
  try {
    await service.post('/v1/modules', { name: 'scanners', type: 'IP_RANGES' });
    await makeModules(service);
    const env = { ...process.env, PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key };
    const run = (...words: string[]): { readonly time: number; readonly out: string } => {
      const began = performance.now();
      const { status, stdout: out, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
      return { time: performance.now() - began, out };
    };
    const timed = (...words: string[]): number => run(...words).time;
    /** Infinite where there was no name in time. */
    const timedNames = (start: string): number => {
      const { time, out } = run(COMMAND, 'completion', 'words', '--', 'module', 'get', start);
      return out.includes(`${start}0`) ? time : Infinity;
    };
    const times = {
      node: [] as number[],
      version: [] as number[],
      get: [] as number[],
      fetch: [] as number[],
      names: [] as number[],
    };
    const fetching = `fetch('${service.url}/v1/version').then((answer) => answer.text())`;
    for (let round = 0; round < ROUNDS; round++) {
      times.node.push(timed('-e', '0'));
      times.version.push(timed(COMMAND, '--version'));
      times.get.push(timed(COMMAND, 'module', 'get', 'scanners', '-o', 'json'));
      times.fetch.push(timed('-e', fetching));
      times.names.push(timedNames('list'));
    }
    console.log(`${machine()}; ${ROUNDS} rounds\n`);
    console.log(compared('--version, beside node -e 0', times.version, times.node, GOALS.version));
    console.log(compared('module get, beside node -e 0', times.get, times.node, GOALS.get));
    console.log(compared('module get, beside one fetch of Node.js', times.get, times.fetch, GOALS.get));
    console.log(within(`names of ${MODULES} modules at the Tab key`, times.names, NAMES_GOAL));
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function makeModules(service: Service): Promise<void> {
  const PART = 111;
  for (let from = 0; from < MODULES; from += PART) {
    const changes = Array.from({ length: PART }, (_, at) => ({
      method: 'POST',
      path: '/v1/modules',
      body: { name: `list${from + at}`, type: 'IP_RANGES' },
    }));
    await service.post('/v1/changes', { changes });
  }
}
