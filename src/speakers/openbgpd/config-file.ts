/** The one file that is ours in OpenBGPD's configuration. OpenBGPD wants it owned by root or its own user, and read by nobody else. */
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SpeakerError } from '../speaker.ts';

const NAME = 'prefixcast.conf';
const MODE = 0o600;

export class ConfigFile {
  readonly path: string;

  /** @param directory that OpenBGPD's main configuration includes `prefixcast.conf` of */
  constructor(directory: string) {
    this.path = join(directory, NAME);
  }

  /** Its text; null where there is none. */
  async read(): Promise<string | null> {
    return this.#telling(() => readFile(this.path, 'utf8').catch(nullWhereMissing));
  }

  /** When it was written last; null where there is none. */
  async writtenAt(): Promise<Date | null> {
    return this.#telling(() => stat(this.path).then(({ mtime }) => mtime, nullWhereMissing));
  }

  /** In one step: the file is as before, or whole. */
  async write(text: string): Promise<void> {
    const temporary = `${this.path}.next`;
    await this.#telling(async () => {
      try {
        const file = await open(temporary, 'w', MODE);
        try {
          await file.writeFile(text);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, this.path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      const directory = await open(dirname(this.path), 'r');
      await directory.sync().finally(() => directory.close());
    });
  }

  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#explain(error as NodeJS.ErrnoException);
    }
  }

  #explain(error: NodeJS.ErrnoException): SpeakerError {
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT')
      return new SpeakerError(
        'disk_full',
        `there is no room for OpenBGPD's configuration ${this.path}: free some; what OpenBGPD runs stays`,
        { cause: error },
      );
    return new SpeakerError(
      'config_unwritable',
      `OpenBGPD's configuration ${this.path} can't be written (${error.code ?? error.message}): see that the directory exists and belongs to the user of this process`,
      { cause: error },
    );
  }
}

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
