import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Of a tick, in milliseconds: sysconf(_SC_CLK_TCK) is 100 on every Linux. */
const TICK_MS = 10;

/** Processor time of a process with its children, ended ones too, in milliseconds. Linux only. */
export function processorMsOf(pid: number): number {
  return ticksOf(pid) * TICK_MS;
}

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

/** Of the embedded server. */
export function postmasterOf(dataDir: string): number {
  const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('postmaster.pid'),
  );
  return Number(readFileSync(join(dataDir, file!), 'utf8').split('\n')[0]);
}
