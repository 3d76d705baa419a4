/**
 * Cold start to `/v1/ready` with the embedded PostgreSQL: the first start of a data directory, and later ones; and the processor time that a
 * later start takes beside a bare fastify with `pg`, both in turns.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { compared, machine, median } from '../measure/report.ts';

const ROUNDS = 5;
const GOALS = { first: 3_000, later: 1_000, processorTime: 2.5 } as const;
/** Of Linux, a second in the units of /proc/PID/stat. */
const TICKS = 100;

export async function run(): Promise<void> {
  buildPublished();
  const times = { first: [] as number[], later: [] as number[] };
  const processorTime = { service: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
    for (const kind of ['first', 'later'] as const) {
      const options = { dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` };
      const started = performance.now();
      const service = await Service.start({ ...options, command: COMMAND });
      times[kind].push(performance.now() - started);
      if (kind === 'later') processorTime.service.push(processorTimeOf(service.pid));
      await service.stop();
    }
    processorTime.bare.push(await startBare());
    await rm(dataDir, { recursive: true, force: true });
  }
  for (const kind of ['first', 'later'] as const) {
    const taken = median(times[kind]);
    const met = taken <= GOALS[kind] ? 'met' : 'NOT met';
    console.log(`${kind} start to ready: ${taken.toFixed(0)} ms (goal ${GOALS[kind]} ms, ${met})`);
  }
  const title = 'later start / bare fastify with pg, processor time';
  console.log(compared(title, processorTime.service, processorTime.bare, GOALS.processorTime));
  console.log(machine());
}

async function startBare(): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-service.ts'), String(port)]);
  await untilReady(child, port);
  const taken = processorTimeOf(child.pid!);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return taken;
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  while (
    !(await fetch(`http://127.0.0.1:${port}/v1/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('The bare service ended at once');
    await sleep(20);
  }
}

/** What the process and its threads have used so far, in milliseconds (proc(5): utime and stime). */
function processorTimeOf(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
  const fields = rest.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1000;
}
