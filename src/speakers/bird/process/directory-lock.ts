/** Allows one process at a time to drive a BIRD: a lock file in the directory that is ours. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLockFile } from '../../../concurrency/lock-file.ts';
import { isThisProcess, ownIdentity, readIdentity } from '../../../concurrency/process-identity.ts';

const NAME = 'prefixcast.lock';
/** BIRD's group may read who holds it. */
const MODE = 0o640;

export class DirectoryLock {
  readonly #directory: string;
  readonly #path: string;
  #isOurs = false;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, NAME);
  }

  /** Takes the lock, unless another live process has it. @returns why it can't be taken, for a person; null: this process has it */
  async claim(): Promise<string | null> {
    const where = `BIRD's directory ${this.#directory}`;
    try {
      const owner = await this.#claim();
      return owner === null
        ? null
        : `${where} is driven by ${owner}: give each service a BIRD and a directory of its own, or end that process`;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return `${where} can't be taken (${words}): give it to the user of this process`;
    }
  }

  /** @returns who has the lock; null: this process, where another of its speakers may have taken it */
  async #claim(): Promise<string | null> {
    if (this.#isOurs && (await this.#isThere())) return null;
    const attempt = await takeLockFile(this.#path, ownIdentity(), MODE);
    this.#isOurs = attempt.isTaken || (attempt.owner !== null && isThisProcess(attempt.owner));
    if (this.#isOurs || attempt.isTaken) return null;
    const { owner } = attempt;
    if (owner === null) return 'another process that was started at the same moment';
    return `the process ${owner.pid} on ${owner.host ?? 'this machine'}, since ${owner.since ?? 'a while'}`;
  }

  async release(): Promise<void> {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    if (await this.#isThere()) await rm(this.#path, { force: true });
  }

  /** Whether our lock still exists: somebody may have emptied the directory. A lock that can't be read counts as ours. */
  async #isThere(): Promise<boolean> {
    try {
      const owner = readIdentity(await readFile(this.#path, 'utf8'));
      return owner !== null && isThisProcess(owner);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  }
}
