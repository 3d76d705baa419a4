/**
 * Log files: those of one directory, as they are at this moment. Whoever may write to the directory may put links and FIFOs there,
 * or swap them in: so a name is opened once without following or waiting, and everything else is asked of the descriptor.
 */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { link, lstat, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../api/problems/problem.ts';
import { RUNTIME_LOG_NAME_PATTERN, RUNTIME_LOG_NOUN } from '../api/operation/runtime-logs.ts';

const NAME = new RegExp(RUNTIME_LOG_NAME_PATTERN);
/** Files that are looked at side by side. */
const AT_ONCE = 64;
/** Neither a link is followed nor a FIFO waited for. */
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

export interface LogFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly modified_at: string;
}

/** A file that was found to be one; its holder closes it. */
export interface OpenLog extends LogFile {
  readonly handle: FileHandle;
  /** Equal for one file under whatever name. */
  readonly identity: string;
}

/** A process that keeps a file open which was deleted. */
export interface OwnFile {
  readonly name: string;
  /** Goes on in a new file. */
  reopen(): void;
}

export class LogDirectory {
  readonly #path: string;
  readonly #own: OwnFile | null;

  /** @param own the file there that this process writes itself */
  constructor(path: string, own: OwnFile | null = null) {
    this.#path = path;
    this.#own = own;
  }

  /** By name. @throws {Problem} `runtime_logs_unavailable` */
  async list(): Promise<LogFile[]> {
    let names: string[];
    try {
      names = await readdir(this.#path);
    } catch (error) {
      throw this.#unavailable(error);
    }
    const wanted = names.filter((name) => NAME.test(name)).sort();
    const files: LogFile[] = [];
    for (let start = 0; start < wanted.length; start += AT_ONCE)
      for (const file of await Promise.all(wanted.slice(start, start + AT_ONCE).map((n) => this.#look(n))))
        if (file !== null) files.push(file);
    return files;
  }

  /**
   * @param access one of `constants.O_RDONLY` and `O_WRONLY`
   * @throws {Problem} `not_found` for whatever is no plain file, `runtime_logs_unavailable` when it may not be opened
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

  /** What stands under the name now; null: nothing that is a plain file. */
  async identityOf(name: string): Promise<string | null> {
    try {
      const stats = await lstat(this.#of(name), { bigint: true });
      return isPlain(stats) ? identityOf(stats) : null;
    } catch {
      return null;
    }
  }

  /** Empties the file; whoever appends to it goes on at its new beginning. */
  async truncate({ name, handle }: OpenLog): Promise<void> {
    try {
      await handle.truncate(0);
    } catch (error) {
      throw await this.#refusal(name, error);
    }
  }

  /** Removes the very file that was opened. @throws {Problem} `not_found` when another stands under its name by now */
  async delete({ name, identity }: OpenLog): Promise<void> {
    // A name can be removed, a descriptor cannot. The file is therefore renamed first, to see what the name leads to.
    const aside = `deleted-${randomBytes(8).toString('hex')}.log`;
    try {
      await rename(this.#of(name), this.#of(aside));
    } catch (error) {
      throw await this.#refusal(name, error);
    }
    const moved = await lstat(this.#of(aside), { bigint: true });
    if (identityOf(moved) !== identity) {
      await this.#putBack(aside, name, moved);
      throw noSuchLog(name);
    }
    await unlink(this.#of(aside));
    if (name === this.#own?.name) this.#own.reopen();
  }

  /** Nothing that came to stand there meanwhile is overwritten. */
  async #putBack(aside: string, name: string, moved: BigIntStats): Promise<void> {
    if (moved.isDirectory()) return rename(this.#of(aside), this.#of(name));
    try {
      await link(this.#of(aside), this.#of(name));
    } catch {
      return; // it stays aside, where whoever looks after the directory finds it
    }
    await unlink(this.#of(aside));
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

  /** What the system's error means. A link gives ELOOP, a FIFO without a reader ENXIO, a directory EISDIR. */
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

export function noSuchLog(name: string): Problem {
  const shown = JSON.stringify(name.slice(0, 100));
  return new Problem(
    'not_found',
    `There is no ${RUNTIME_LOG_NOUN} ${shown}. GET /v1/runtime-logs/files lists them; links and names outside of the pattern are not served.`,
  );
}

/** A second name of a file may stand anywhere, and lead anywhere. */
function isPlain(stats: BigIntStats): boolean {
  return stats.isFile() && stats.nlink === 1n;
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function fileOf(name: string, { size, mtime }: BigIntStats): LogFile {
  return { name, size: Number(size), modified_at: mtime.toISOString() };
}
