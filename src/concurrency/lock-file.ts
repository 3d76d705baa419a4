/**
 * One process at a time: a file whose text says which. It appears whole or not at all, so of two processes one makes it; and a process
 * that was killed leaves it behind, which the next one sees by its {@link ProcessIdentity}.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identityText, isAlive, type ProcessIdentity, readIdentity } from './process-identity.ts';

/** How often a lock that a dead process left is taken away: others may be at it as well. */
const ATTEMPTS = 5;

export type LockAttempt =
  | { readonly isTaken: true }
  /** By whom; null: it changed hands too often to say. */
  | { readonly isTaken: false; readonly owner: ProcessIdentity | null };

/**
 * Makes the file of the lock, unless that of a living process is there, be it this one. Whoever made it removes it.
 * @param mode of the file
 * @throws the system's error, when the folder is missing or closed to this process
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

/** @returns false where there is a file already */
async function makeWhole(path: string, text: string, mode: number): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`; // one process may be at it twice
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

/** Moves the file away before it is judged again: of two that find it dead, one moves it, and what has become another's is put back. */
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
