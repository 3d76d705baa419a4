/**
 * Allows one process at a time: a file whose text says which process. The file is created atomically, so only one of two processes
 * succeeds. A process that was killed leaves it behind, which the next one detects by its {@link ProcessIdentity}.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identityText, isAlive, type ProcessIdentity, readIdentity } from './process-identity.ts';

/** How often a dead process's lock is removed: other processes may be removing it as well. */
const ATTEMPTS = 5;

export type LockAttempt =
  | { readonly isTaken: true }
  /** Its owner; null: it changed hands too often to say. */
  | { readonly isTaken: false; readonly owner: ProcessIdentity | null };

/**
 * Creates the lock file, unless a living process has it, including this one. Whoever created it removes it.
 * @param mode of the file
 * @throws the system's error, when the folder is missing or not accessible
 */
export async function takeLockFile(path: string, owner: ProcessIdentity, mode: number): Promise<LockAttempt> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await makeWhole(path, identityText(owner), mode)) return { isTaken: true };
    const text = await readFile(path, 'utf8').catch(ifGone);
    if (text === null) continue;
    const other = readIdentity(text);
    if (other !== null && isAlive(other)) return { isTaken: false, owner: other };
    await removeDead(path, text);
  }
  return { isTaken: false, owner: null };
}

/** @returns false if the file exists already */
async function makeWhole(path: string, text: string, mode: number): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`; // one process may try twice at once
  await writeFile(draft, text, { mode });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Renames the file before it is checked again: if two processes find it dead, only one can rename it, and a lock that was taken meanwhile
 * is restored.
 */
async function removeDead(path: string, text: string): Promise<void> {
  const moved = `${path}.${randomUUID()}.dead`;
  try {
    await rename(path, moved);
    if ((await readFile(moved, 'utf8')) !== text) await link(moved, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    await rm(moved, { force: true });
  }
}

function ifGone(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
