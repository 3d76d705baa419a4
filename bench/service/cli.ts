/** Commands as whole processes beside `node -e 0`, in turns: the version, and one object out of a service on this machine. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { compared, machine } from '../measure/report.ts';

const ROUNDS = 31;
const GOALS = { version: 1.3, get: 2 } as const;

export async function run(): Promise<void> {
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const options = { dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` };
  const service = await Service.start({ ...options, command: COMMAND });
  try {
    await service.post('/v1/modules', { name: 'scanners', type: 'IP_RANGES' });
    const env = { ...process.env, PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key };
    const timed = (...words: string[]): number => {
      const began = performance.now();
      const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
      return performance.now() - began;
    };
    const times = {
      node: [] as number[],
      version: [] as number[],
      get: [] as number[],
      fetch: [] as number[],
    };
    const fetching = `fetch('${service.url}/v1/version').then((answer) => answer.text())`;
    for (let round = 0; round < ROUNDS; round++) {
      times.node.push(timed('-e', '0'));
      times.version.push(timed(COMMAND, '--version'));
      times.get.push(timed(COMMAND, 'module', 'get', 'scanners', '-o', 'json'));
      times.fetch.push(timed('-e', fetching));
    }
    console.log(`${machine()}; ${ROUNDS} rounds\n`);
    console.log(compared('--version, beside node -e 0', times.version, times.node, GOALS.version));
    console.log(compared('module get, beside node -e 0', times.get, times.node, GOALS.get));
    console.log(compared('module get, beside one fetch of Node.js', times.get, times.fetch, GOALS.get));
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
