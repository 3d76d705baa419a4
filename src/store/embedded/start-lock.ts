import { linkSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { embeddedFault } from './embedded-error.ts';

/**
 * Who uses an embedded server, and who may start or stop it just now. Each process is a line in a file: its pid and when it
 * started, because pids come back after a reboot. The dead are told by that and count as absent.
 */

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/** Runs `work` while no other process starts or stops the server of this `locks` directory. */
export async function withStartLock<T>(locks: string, work: () => Promise<T>): Promise<T> {
  const lock = join(locks, 'start');
  const own = join(locks, `start.${process.pid}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(own, ownIdentity(), { mode: 0o600 });
  try {
    await acquire(lock, own);
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** A hard link appears whole or not at all, so nobody ever reads a lock without its owner. */
async function acquire(lock: string, own: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      linkSync(own, lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    removeDeadLock(lock, own);
    if (performance.now() > deadline) {
      throw embeddedFault(
        `is being started or stopped by process ${holderOf(lock)}`,
        'wait for it or end it',
      );
    }
    await delay(POLL_MS);
  }
}

/** Moves the lock aside before judging it again: of two that find it dead, only one moves it, and a living one is put back. */
function removeDeadLock(lock: string, own: string): void {
  const identity = readOrNull(lock);
  if (identity === null || isAlive(identity)) return;
  const aside = `${own}.dead`;
  try {
    renameSync(lock, aside);
    if (isAlive(readOrNull(aside) ?? '')) linkSync(aside, lock);
  } catch {
    // Somebody else was faster; the next round sees what is there now.
  } finally {
    rmSync(aside, { force: true });
  }
}

function holderOf(lock: string): string {
  return readOrNull(lock)?.split(' ')[0] ?? '(gone)';
}

/** Writes down that this process uses the server; removes it with the returned function. Call under the lock. */
export function registerUser(locks: string): () => void {
  const path = join(locks, `user.${process.pid}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, ownIdentity(), { mode: 0o600 });
  return () => {
    rmSync(path, { force: true });
  };
}

/** Living processes that use the server, this one among them. Forgets the dead. Call under the lock. */
export function countUsers(locks: string): number {
  let alive = 0;
  for (const name of readdirSync(locks)) {
    if (!name.startsWith('user.')) continue;
    const path = join(locks, name);
    if (isAlive(readOrNull(path) ?? '')) alive++;
    else rmSync(path, { force: true });
  }
  return alive;
}

function ownIdentity(): string {
  return `${process.pid} ${startOf(process.pid) ?? '?'}`;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function isAlive(identity: string): boolean {
  const [pid, start] = identity.split(' ');
  if (pid === undefined || !/^\d+$/.test(pid)) return false;
  if (!processExists(Number(pid))) return false;
  const now = startOf(Number(pid));
  return now === null || start === '?' || now === start;
}

/** A process that has ended but that its parent has not asked about (a zombie) counts as gone. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statFields(pid)?.[0] !== 'Z';
}

/** When a process started, in ticks since boot, with the boot's id; null where the system does not tell. */
function startOf(pid: number): string | null {
  const ticks = statFields(pid)?.[19];
  if (ticks === undefined) return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
}

/** Fields of /proc/<pid>/stat from the state on, proc(5); null where there is no such file. */
function statFields(pid: number): string[] | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  // The command name, in parentheses, may itself hold spaces and parentheses.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
