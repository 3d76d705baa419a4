/**
 * A file that one process at a time holds, by a lock of the kernel (of POSIX): it ends with its process in whatever way, so none is ever left behind,
 * a copy of the file has none, and processes in different containers see each other's. Node.js has no call for it, but SQLite locks the file
 * of a database, also an empty one, and nothing is written to it.
 */
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';

export interface HeldFile {
  release(): void;
}

/** SQLITE_BUSY: another process, or another caller in this one, has the lock. */
const BUSY = 5;
const MODE = 0o600;

/**
 * Makes the file if it is missing.
 * @returns null: somebody else holds it
 * @throws what the system says where there are no locks, or the file cannot be opened for writing
 */
export async function holdFile(path: string): Promise<HeldFile | null> {
  const { DatabaseSync } = await import('node:sqlite');
  makePrivate(path);
  const file = new DatabaseSync(path);
  try {
    file.exec('BEGIN EXCLUSIVE');
    return { release: () => file.close() };
  } catch (error) {
    file.close();
    if ((error as { errcode?: unknown }).errcode === BUSY) return null;
    throw error;
  }
}

/** Opens it only if it is new: a process that closes a file loses all locks that it has of it. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The pid of the process that holds the file, for people; null: it cannot be seen from here, or the system does not say (proc_locks(5)). */
export function holderOf(path: string): number | null {
  try {
    const { ino } = statSync(path);
    for (const line of readFileSync('/proc/locks', 'latin1').split('\n')) {
      const [, kind, , , pid, place] = line.trim().split(/\s+/);
      // A device has other numbers here than in stat(2) where it is an overlay.
      if (kind === 'POSIX' && place?.split(':').at(-1) === String(ino) && Number(pid) > 0) return Number(pid);
    }
  } catch {
    // No such files here.
  }
  return null;
}
