import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from '../concurrency/serial-queue.ts';
import { AgentFault } from './agent-fault.ts';
import { type HeldFile, holdFile, holderOf } from './held-file.ts';

/** A file on disk under a temporary name, which replaces the old one when it is committed. */
export interface Staged {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Held by the process that works in the directory; always empty. */
export const LOCK_FILE = 'lock';

/** Ends the name of what is about to replace a file. */
const SUCCESSOR = '.new';

/**
 * Files that only this user may read. Each is replaced atomically: after a crash there is the old one or the new one.
 */
export class DataDirectory {
  readonly path: string;
  /** The variable that sets the path. */
  readonly #variable: string;
  readonly #writes = new SerialQueue();

  constructor(path: string, variable = 'APP_AGENT_DATA_DIR') {
    this.path = path;
    this.#variable = variable;
  }

  /** Makes the directory. @throws {AgentFault} `state_unwritable` */
  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw this.#unwritable(error);
    });
  }

  /**
   * Keeps other processes from working in the directory until the claim is released or this process ends.
   * @param what works in it, for whoever starts a second one
   * @param onUnprotected receives why nothing can be locked here: on such a disk as well, routes and rules come first
   * @param remedy for whoever finds another process at work
   * @throws {AgentFault} `directory_in_use`
   */
  async claim(
    what: string,
    onUnprotected: (error: unknown) => void,
    remedy = `Stop that one, or set ${this.#variable} to another directory.`,
  ): Promise<HeldFile> {
    const path = join(this.path, LOCK_FILE);
    const held = await holdFile(path).catch((error: unknown): HeldFile => {
      onUnprotected(error);
      return { release: () => undefined };
    });
    if (held !== null) return held;
    const pid = holderOf(path);
    const owner =
      pid === null
        ? 'a process that cannot be seen from here, as one of another container'
        : `process ${pid}`;
    throw new AgentFault('directory_in_use', `${what} works in ${this.path} already (${owner}). ${remedy}`);
  }

  /** @returns null when there is no such file. @throws {AgentFault} `state_unreadable` */
  async read(name: string): Promise<Buffer | null> {
    try {
      return await readFile(join(this.path, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      const { message } = error as Error;
      throw new AgentFault('state_unreadable', `${join(this.path, name)} cannot be read: ${message}.`, {
        cause: error,
      });
    }
  }

  /** One call at a time, since they use the same temporary names. @throws {AgentFault} `state_unwritable` */
  write(name: string, bytes: string | Uint8Array): Promise<void> {
    return this.#writes.run(() => this.#write(name, bytes));
  }

  async #write(name: string, bytes: string | Uint8Array): Promise<void> {
    const staged = await this.stage(name, [typeof bytes === 'string' ? Buffer.from(bytes) : bytes]);
    await staged.commit();
  }

  /** Removes the file, and what a process that was killed has left of its successor. */
  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
    await rm(join(this.path, `${name}${SUCCESSOR}`), { force: true });
  }

  /** Writes the bytes beside the file. @throws {AgentFault} `state_unwritable`, and then nothing is left behind */
  async stage(name: string, pieces: readonly Uint8Array[]): Promise<Staged> {
    const path = join(this.path, name);
    const beside = `${path}${SUCCESSOR}`;
    const discard = (): Promise<void> => rm(beside, { force: true });
    try {
      const file = await open(beside, 'w', 0o600);
      try {
        for (const piece of pieces) await file.writeFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      await discard().catch(() => undefined);
      throw this.#unwritable(error);
    }
    const commit = async (): Promise<void> => {
      await rename(beside, path);
      await this.#sync();
    };
    return {
      discard,
      commit: () => commit().catch((error: unknown) => Promise.reject(this.#unwritable(error))),
    };
  }

  /** Makes the rename durable as well. */
  async #sync(): Promise<void> {
    const directory = await open(this.path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  #unwritable(error: unknown): AgentFault {
    const { code, message } = error as NodeJS.ErrnoException;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const why = isFull
      ? `The disk that holds ${this.path} is full. Make room`
      : `${this.path} cannot be written (${message}). Give this user the right to, or set ${this.#variable}`;
    return new AgentFault('state_unwritable', `${why}; what runs stays as it is.`, { cause: error });
  }
}
