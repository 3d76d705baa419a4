/**
 * The one file in OpenBGPD's configuration that is ours. OpenBGPD requires that root or its own user owns it and nobody else can read it.
 */
import { access, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { explaining, nullWhereMissing, syncDirectory, writeWhole } from '../config-files.ts';

const NAME = 'prefixcast.conf';
const MODE = 0o600;

export class ConfigFile {
  readonly path: string;
  /** Exists while OpenBGPD may run another text than the file's; a later process sees it too. */
  readonly #unread: string;

  /** @param directory whose `prefixcast.conf` OpenBGPD's main configuration includes */
  constructor(directory: string) {
    this.path = join(directory, NAME);
    this.#unread = `${this.path}.unread`;
  }

  /** Its text; null if it does not exist. */
  async read(): Promise<string | null> {
    return this.#explained(() => readFile(this.path, 'utf8').catch(nullWhereMissing));
  }

  /** When it was last written; null if it does not exist. */
  async writtenAt(): Promise<Date | null> {
    return this.#explained(() => stat(this.path).then(({ mtime }) => mtime, nullWhereMissing));
  }

  /** Atomic: the file has the old text or the new one. */
  async write(text: string): Promise<void> {
    await this.#explained(async () => {
      await writeWhole(this.path, MODE, (file) => file.writeFile(text));
      await syncDirectory(dirname(this.path));
    });
  }

  async isUnread(): Promise<boolean> {
    return this.#explained(async () => (await access(this.#unread).catch(nullWhereMissing)) !== null);
  }

  async noteUnread(): Promise<void> {
    await this.#explained(async () => {
      await writeWhole(this.#unread, MODE, () => Promise.resolve());
      await syncDirectory(dirname(this.path));
    });
  }

  /** OpenBGPD runs the text of the file. */
  async noteRead(): Promise<void> {
    await this.#explained(async () => {
      await rm(this.#unread, { force: true });
      await syncDirectory(dirname(this.path));
    });
  }

  #explained<T>(work: () => Promise<T>): Promise<T> {
    return explaining('OpenBGPD', this.path, work);
  }
}
