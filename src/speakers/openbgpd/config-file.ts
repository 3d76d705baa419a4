/** The one file that is ours in OpenBGPD's configuration. OpenBGPD wants it owned by root or its own user, and read by nobody else. */
import { access, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { explaining, nullWhereMissing, syncDirectory, writeWhole } from '../config-files.ts';

const NAME = 'prefixcast.conf';
const MODE = 0o600;

export class ConfigFile {
  readonly path: string;
  /** Is there while OpenBGPD may run another text than the file's, for whoever comes after this process, too. */
  readonly #unread: string;

  /** @param directory that OpenBGPD's main configuration includes `prefixcast.conf` of */
  constructor(directory: string) {
    this.path = join(directory, NAME);
    this.#unread = `${this.path}.unread`;
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
    await this.#telling(async () => {
      await writeWhole(this.path, MODE, (file) => file.writeFile(text));
      await syncDirectory(dirname(this.path));
    });
  }

  async isUnread(): Promise<boolean> {
    return this.#telling(async () => (await access(this.#unread).catch(nullWhereMissing)) !== null);
  }

  async noteUnread(): Promise<void> {
    await this.#telling(async () => {
      await writeWhole(this.#unread, MODE, () => Promise.resolve());
      await syncDirectory(dirname(this.path));
    });
  }

  /** OpenBGPD runs what the file says. */
  async noteRead(): Promise<void> {
    await this.#telling(async () => {
      await rm(this.#unread, { force: true });
      await syncDirectory(dirname(this.path));
    });
  }

  #telling<T>(work: () => Promise<T>): Promise<T> {
    return explaining('OpenBGPD', this.path, work);
  }
}
