/**
 * The log files of one directory at the present moment. Anyone who can write to the directory can put links and FIFOs there, or swap them
 * in; so a name is opened only once, without following links or waiting, and everything else is read from the descriptor.
 */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { link, lstat, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../api/problems/problem.ts';
import { Semaphore } from '../concurrency/semaphore.ts';
import { RUNTIME_LOG_NAME_PATTERN, RUNTIME_LOG_NOUN } from '../api/operation/runtime-logs.ts';

const NAME = new RegExp(RUNTIME_LOG_NAME_PATTERN);
/** Files that are examined concurrently. */
const AT_ONCE = 64;
/** Follows no link and waits for no FIFO. */
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

export interface LogFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly modified_at: string;
}

/** A file that was verified to be a plain one; its holder closes it. */
export interface OpenLog extends LogFile {
  readonly handle: FileHandle;
  /** Equal for one file under any name. */
  readonly identity: string;
}

/** A process that keeps a file open which was deleted. */
export interface OwnFile {
  readonly name: string;
  /** Continues in a new file. */
  reopen(): void;
}

export class LogDirectory {
  readonly #path: string;
  readonly #own: OwnFile | null;
  /** A tail of four megabytes takes a processor for a tenth of a second: a hundred at once would take it from everybody. */
  readonly #readings = new Semaphore(1);

  /** @param own the file there that this process writes itself */
  constructor(path: string, own: OwnFile | null = null) {
    this.#path = path;
    this.#own = own;
  }

  /**
   * Sorted by name.
   * @param after leaves out the names before and this one
   * @param count how many at most
   * @throws {Problem} `runtime_logs_unavailable`
   */
  async list(after = '', count = Infinity): Promise<LogFile[]> {
    let names: string[];
    try {
      names = await readdir(this.#path);
    } catch (error) {
      throw this.#unavailable(error);
    }
    const wanted = names.filter((name) => NAME.test(name) && name > after).sort();
    const files: LogFile[] = [];
    for (let start = 0; start < wanted.length && files.length < count; start += AT_ONCE)
      for (const file of await Promise.all(wanted.slice(start, start + AT_ONCE).map((n) => this.#look(n))))
        if (file !== null) files.push(file);
    return files.slice(0, count);
  }

  /**
   * @param access one of `constants.O_RDONLY` and `O_WRONLY`
   * @throws {Problem} `not_found` for anything but a plain file, `runtime_logs_unavailable` when it may not be opened
   */
  async open(name: string, access: number = constants.O_RDONLY): Promise<OpenLog> {
    if (!NAME.test(name)) throw noSuchLog(name);
    let handle: FileHandle;
    try {
      handle = await open(this.#of(name), access | CAREFULLY);
    } catch (error) {
      throw await this.#refusal(name, error);
    }
    try {
      const stats = await handle.stat({ bigint: true });
      if (!isPlain(stats)) throw noSuchLog(name);
      return { ...fileOf(name, stats), handle, identity: identityOf(stats) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Resolves or rejects as `read` does, which reads much of a file: one at a time, and tenants take turns. */
  inTurn<T>(tenantId: string, read: () => Promise<T>): Promise<T> {
    return this.#readings.run(read, tenantId);
  }

  /** The file that now has the name; null: no plain file. */
  async identityOf(name: string): Promise<string | null> {
    try {
      const stats = await lstat(this.#of(name), { bigint: true });
      return isPlain(stats) ? identityOf(stats) : null;
    } catch {
      return null;
    }
  }

  /** Empties the file; a process that appends to it continues at the new beginning. */
  async truncate({ name, handle }: OpenLog): Promise<void> {
    try {
      await handle.truncate(0);
    } catch (error) {
      throw await this.#refusal(name, error);
    }
  }

  /** Removes the very file that was opened. @throws {Problem} `not_found` if another file has its name by then */
  async delete({ name, identity }: OpenLog): Promise<void> {
    // A name can be removed, a descriptor cannot. So the file is renamed first, to see what the name leads to.
    const moving = `deleted-${randomBytes(8).toString('hex')}.log`;
    try {
      await rename(this.#of(name), this.#of(moving));
    } catch (error) {
      throw await this.#refusal(name, error);
    }
    const moved = await lstat(this.#of(moving), { bigint: true });
    if (identityOf(moved) !== identity) {
      await this.#putBack(moving, name, moved);
      throw noSuchLog(name);
    }
    await unlink(this.#of(moving));
    if (name === this.#own?.name) this.#own.reopen();
  }

  /** Overwrites nothing that was created under the name meanwhile. */
  async #putBack(moving: string, name: string, moved: BigIntStats): Promise<void> {
    if (moved.isDirectory()) return rename(this.#of(moving), this.#of(name));
    try {
      await link(this.#of(moving), this.#of(name));
    } catch {
      return; // it keeps its temporary name, under which an operator finds it
    }
    await unlink(this.#of(moving));
  }

  async #look(name: string): Promise<LogFile | null> {
    try {
      const stats = await lstat(this.#of(name), { bigint: true });
      return isPlain(stats) ? fileOf(name, stats) : null;
    } catch {
      return null;
    }
  }

  #of(name: string): string {
    return join(this.#path, name);
  }

  /** Translates the system's error. A link gives ELOOP, a FIFO without a reader ENXIO, a directory EISDIR. */
  async #refusal(name: string, error: unknown): Promise<unknown> {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) return error;
    const isThere = await stat(this.#path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isThere) return this.#unavailable(error);
    if (['ENOENT', 'ELOOP', 'EMLINK', 'ENXIO', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'ENODEV'].includes(code))
      return noSuchLog(name);
    return new Problem(
      'runtime_logs_unavailable',
      `${name}: the system answers ${code}. Let the user of the service read and write the file.`,
      { cause: error },
    );
  }

  #unavailable(error: unknown): Problem {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    return new Problem(
      'runtime_logs_unavailable',
      `The directory of APP_RUNTIME_LOGS_DIR cannot be read (${code}). Its files are served again as soon as it is back.`,
      { cause: error },
    );
  }
}

function noSuchLog(name: string): Problem {
  const shown = JSON.stringify(name.slice(0, 100));
  return new Problem(
    'not_found',
    `There is no ${RUNTIME_LOG_NOUN} ${shown}. GET /v1/runtime-logs/files lists them; links and names outside of the pattern are not served.`,
  );
}

/** A second name of a file may be anywhere. */
function isPlain(stats: BigIntStats): boolean {
  return stats.isFile() && stats.nlink === 1n;
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function fileOf(name: string, { size, mtime }: BigIntStats): LogFile {
  return { name, size: Number(size), modified_at: mtime.toISOString() };
}
