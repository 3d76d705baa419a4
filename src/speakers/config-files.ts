/** Configuration files that a driver writes for its daemon. Each write is atomic, and errors are explained to the operator. */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { SpeakerError } from './speaker.ts';

/** Writes a file beside the target and renames it. The new name is durable after {@link syncDirectory}. */
export async function writeWhole(
  path: string,
  mode: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.part`;
  try {
    const file = await open(temporary, 'w', mode);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A file name is durable once its directory is synced. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * @param place which part of the daemon's configuration `work` changes, such as `in /etc/bird/ours`
 * @throws {SpeakerError} `disk_full` or `config_unwritable` where the system refuses; a `SpeakerError` is passed on unchanged
 */
export async function explaining<T>(daemon: string, place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SpeakerError ? error : explained(daemon, place, error as NodeJS.ErrnoException);
  }
}

/** For files that may be missing. */
export function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function explained(daemon: string, place: string, cause: NodeJS.ErrnoException): SpeakerError {
  const what = `${daemon}'s configuration ${place}`;
  switch (cause.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new SpeakerError(
        'disk_full',
        `there is no room for ${what}: free some; what ${daemon} runs stays`,
        { cause },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
      return new SpeakerError(
        'config_unwritable',
        `${what} can't be written (${cause.code}): see that its directory exists and belongs to the user of this process`,
        { cause },
      );
    default:
      return new SpeakerError('config_unwritable', `${what}: ${cause.message}`, { cause });
  }
}
