/** Runs programs for benchmarks: whole processes, from start to end, as a user's shell sees them. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;

export interface ProcessRun {
  /** Milliseconds from start to end. */
  readonly time: number;
  /** Milliseconds of processor time, of all its threads: other work on the machine disturbs it less. */
  readonly cpu: number;
}

/** Runs a program and tells what the shell knows of its children's times, in a second line: user and system. */
const WITH_TIMES = '"$0" "$@"; status=$?; times >&3; exit $status';

/** Runs a program with its output in a file. Throws when it fails or can't be started. */
export function runProcess(program: string, args: readonly string[], output: string): ProcessRun {
  const out = openSync(output, 'w');
  const started = performance.now();
  const {
    status,
    error,
    output: outputs,
  } = spawnSync('sh', ['-c', WITH_TIMES, program, ...args], {
    cwd: HERE,
    stdio: ['ignore', out, 'inherit', 'pipe'],
  });
  const time = performance.now() - started;
  closeSync(out);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
  const [, children = ''] = String(outputs[3]).split('\n');
  const cpu = Array.from(children.matchAll(/(\d+)m([\d.]+)s/g), ([, minutes, seconds]) => {
    return (Number(minutes) * 60 + Number(seconds)) * 1000;
  });
  return { time, cpu: cpu.reduce((sum, part) => sum + part, 0) };
}

/** Most memory that a run of a program held, in megabytes; read once a millisecond, in a run that is not timed. Linux only. */
export function peakMemory(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { cwd: HERE, stdio: ['ignore', 'ignore', 'inherit'] });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid))), 1);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      clearInterval(timer);
      resolve(peak / 1024);
    });
  });
}

function memoryOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // It has just ended.
  }
}

/** Where Debian's program is, after scripts/setup has seen to it. */
export function installedPath(program: 'iprange' | 'nginx' | 'wrk'): string {
  const setup = join(HERE, '../../scripts/setup');
  execFileSync(setup, ['bench'], { stdio: 'inherit' });
  return execFileSync(setup, ['path', program], { encoding: 'utf8' }).trim();
}
