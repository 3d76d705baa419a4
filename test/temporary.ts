// Where tests keep what they make: in memory, where the machine has enough of it.
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** What `statfs` says of a file system in memory. */
const TMPFS = 0x01_02_19_94;
/** What lies there at one time is less than half of this. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * The directory for temporary files of tests, nearly all of which are data of PostgreSQL. On ext4 it takes six times as much processor time to make
 * a database and to drop it: it has a thousand files, and for each new one ext4 walks over those that were removed during the last minutes.
 * Whoever names a directory by TMPDIR gets that one.
 */
export function temporaryDirectory(): string {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type !== TMPFS || bavail * bsize < ENOUGH_BYTES) return tmpdir();
    accessSync(MEMORY, constants.R_OK | constants.W_OK | constants.X_OK);
    return MEMORY;
  } catch {
    return tmpdir();
  }
}

/** A directory on disk, for what a test has to do there. */
export function diskDirectory(): string {
  return process.env.TMPDIR === MEMORY ? '/tmp' : tmpdir();
}
