import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Of a tick, in milliseconds: sysconf(_SC_CLK_TCK) is 100 on every Linux. */
const TICK_MS = 10;

/** Processor time of a process with its children, ended ones too, in milliseconds. Linux only. */
export function processorMsOf(pid: number): number {
  return ticksOf(pid) * TICK_MS;
}

/** The same without children. */
export function ownProcessorMsOf(pid: number): number {
  const [user, system] = fieldsOf(pid);
  return (user! + system!) * TICK_MS;
}

function ticksOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((one) => one !== '');
  const own = fieldsOf(pid).reduce((sum, field) => sum + field, 0);
  return children.reduce((sum, child) => sum + ticksOf(Number(child)), own);
}

/** Ticks in user mode and in the kernel, and those of children that have ended (proc_pid_stat(5), fields 14 to 17). */
function fieldsOf(pid: number): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).map(Number);
}

/** Of the embedded server. */
export function postmasterOf(dataDir: string): number {
  const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('postmaster.pid'),
  );
  return Number(readFileSync(join(dataDir, file!), 'utf8').split('\n')[0]);
}
