import { type ChildProcess, execFileSync } from 'node:child_process';
import { join } from 'node:path';

const setup = join(import.meta.dirname, '../scripts/setup');

/** The file that runs a program of the set-up's table, from the system or from its cache; null where it is nowhere. */
export function findProgram(name: string): string | null {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync(setup, ['path', name], { encoding: 'utf8', stdio }).trim();
  } catch {
    return null;
  }
}

/** Ends the process and waits until it is gone. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
