/** Cold start to `/v1/ready` with the embedded PostgreSQL: the first start of a data directory, and a later one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../demo/service.ts';
import { freePort } from '../test/daemons/ports.ts';
import { machine, median } from './report.ts';

const ROUNDS = 3;
const GOALS = { first: 3_000, later: 1_000 } as const;

export async function run(): Promise<void> {
  const times = { first: [] as number[], later: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
    for (const kind of ['first', 'later'] as const) {
      const options = { dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` };
      const started = performance.now();
      const service = await Service.start(options);
      times[kind].push(performance.now() - started);
      await service.stop();
    }
    await rm(dataDir, { recursive: true, force: true });
  }
  for (const kind of ['first', 'later'] as const) {
    const taken = median(times[kind]);
    const met = taken <= GOALS[kind] ? 'met' : 'NOT met';
    console.log(`${kind} start to ready: ${taken.toFixed(0)} ms (goal ${GOALS[kind]} ms, ${met})`);
  }
  console.log(machine());
}
