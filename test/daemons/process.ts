import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programPath } from './programs.ts';
import { waitFor } from './wait.ts';

/** A running program with a directory of its own, both gone when the test process ends, however it ends. */
export interface DaemonProcess {
  readonly pid: number;
  readonly directory: string;
  readonly exited: boolean;
  log(): string;
  kill(signal: NodeJS.Signals): void;
  /** Sends `signal` (SIGTERM), then after 10 s SIGKILL; resolves when the process is gone and its directory too. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface SpawnOptions {
  directory: string;
  env?: NodeJS.ProcessEnv;
  netns?: string | undefined;
  /** As root, runs it as the user nobody: for programs that leave files about the system when they can. */
  unprivileged?: boolean;
}

const running = new Map<ChildProcess, string>();

process.on('exit', () => {
  for (const [child, directory] of running) {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
});

// A parent that is killed has no exit handler; the kernel can end its children all the same.
const hasSetpriv = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
const dropToNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];

/**
 * A new directory for one daemon, which may run as another user. Names are short because the path of a Unix socket
 * ends at 107 characters, and hold the id of the test's process, so that a later one can tell what is left over.
 */
export function daemonDirectory(name: string): string {
  if (!swept) {
    swept = true;
    for (const entry of readdirSync(tmpdir()).filter(isLeftOver)) {
      try {
        rmSync(join(tmpdir(), entry), { recursive: true, force: true });
      } catch {
        // another user's, who will find it
      }
    }
  }
  const directory = mkdtempSync(join(tmpdir(), `pc-${process.pid}-${name}-`));
  chmodSync(directory, 0o777);
  return directory;
}

let swept = false;

/** Whether a name `pc-<process id>-…` is of a test process that is gone: one that was killed could not clean up. */
export function isLeftOver(name: string): boolean {
  const pid = /^pc-(\d+)-/.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Runs `command`; what it prints goes to the file `output` in its directory. */
export function spawnDaemon(command: string, args: readonly string[], options: SpawnOptions): DaemonProcess {
  const { directory } = options;
  let line = [command, ...args];
  if (hasSetpriv) {
    const drop = options.unprivileged && process.getuid?.() === 0 ? dropToNobody : [];
    line = ['setpriv', '--pdeathsig', 'KILL', ...drop, ...line];
  }
  if (options.netns !== undefined) line = [programPath('ip'), 'netns', 'exec', options.netns, ...line];
  const output = openSync(join(directory, 'output'), 'a');
  const child = spawn(line[0]!, line.slice(1), {
    cwd: directory,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...options.env },
  });
  closeSync(output);
  running.set(child, directory);
  let failure = '';
  child.once('error', (error) => {
    failure = `${command}: ${error.message}\n`;
  });

  const gone = (): boolean => failure !== '' || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? -1,
    directory,
    get exited() {
      return gone();
    },
    log: () => failure + readText(join(directory, 'output')),
    kill: (signal) => child.kill(signal),
    async stop(signal = 'SIGTERM') {
      if (!gone()) {
        child.kill('SIGCONT');
        child.kill(signal);
        const what = `${command} (pid ${child.pid ?? -1}) to end`;
        await waitFor(gone, { what, timeoutMs: 10_000, everyMs: 10 }).catch(() => child.kill('SIGKILL'));
        await waitFor(gone, { what, timeoutMs: 10_000, everyMs: 10 });
      }
      running.delete(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The text of a file, or nothing where there is none yet. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The last lines of a log, for error messages. */
export function tail(text: string, lines = 30): string {
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}

/**
 * Stops a process from running (SIGSTOP) and returns once all of its threads have stopped: the signal reaches them one after the other,
 * and on a busy machine a daemon still answered what it was asked after the signal.
 */
export function pauseProcess(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  const deadline = performance.now() + 10_000;
  while (!isStopped(pid)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} has not stopped within 10 s`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
}

/** proc(5): the state follows the name in parentheses, and is `T` for a stopped thread. */
function isStopped(pid: number): boolean {
  const states = readdirSync(`/proc/${pid}/task`).map((tid) => {
    const stat = readText(`/proc/${pid}/task/${tid}/stat`);
    return stat.slice(stat.lastIndexOf(')') + 2)[0];
  });
  return states.every((state) => state === 'T');
}
