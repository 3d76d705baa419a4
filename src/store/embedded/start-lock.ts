import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLockFile } from '../../concurrency/lock-file.ts';
import {
  identityText,
  isAlive,
  ownIdentity,
  type ProcessIdentity,
  readIdentity,
} from '../../concurrency/process-identity.ts';
import { embeddedFault } from './embedded-error.ts';

/**
 * The processes that use an embedded server, and a lock for starting and stopping it: a file for each process, with its identity. Dead ones
 * count as absent.
 */

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const MODE = 0o600;

/** Runs `work` while no other process or task starts or stops the server of this `locks` directory. */
export async function withStartLock<T>(locks: string, work: () => Promise<T>): Promise<T> {
  const lock = join(locks, 'start');
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const attempt = await takeLockFile(lock, localIdentity(), MODE);
    if (attempt.isTaken) break;
    if (performance.now() > deadline) {
      const owner = attempt.owner?.pid ?? '(gone)';
      throw embeddedFault(`is being started or stopped by process ${owner}`, 'wait for it or end it');
    }
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Records that this process uses the server; the returned function removes the record. Call under the lock. */
export function registerUser(locks: string): () => void {
  const path = join(locks, `user.${process.pid}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, identityText(localIdentity()), { mode: MODE });
  return () => {
    rmSync(path, { force: true });
  };
}

/** Living processes that use the server, including this one. Removes dead ones. Call under the lock. */
export function countUsers(locks: string): number {
  let alive = 0;
  for (const name of readdirSync(locks)) {
    if (!name.startsWith('user.')) continue;
    const path = join(locks, name);
    const user = readIdentity(readOrEmpty(path));
    if (user !== null && isAlive(user)) alive++;
    else rmSync(path, { force: true });
  }
  return alive;
}

/** Without a host: a replaced container finds its data under another host name, and the processes of the previous one are dead. */
function localIdentity(): ProcessIdentity {
  return { ...ownIdentity(), host: null, since: null };
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
