/** The file of an archive: read in pieces, and written so that it appears whole or not at all. */
import { constants, createReadStream, existsSync, readdirSync, rmSync } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { processExists } from '../concurrency/process-identity.ts';

/** The system refused a file. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly what: 'read' | 'written';
  readonly code: string | undefined;

  constructor(what: FileFault['what'], cause: NodeJS.ErrnoException) {
    // The system's own words, without the name of the call.
    super(cause.message.replace(/, \w+( '.*')?$/s, ''), { cause });
    this.what = what;
    this.code = cause.code;
  }
}

/** @throws {FileFault} */
export async function* readPieces(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new FileFault('read', error as NodeJS.ErrnoException);
  }
}

const PIECE_BYTES = 256 * 1024;

export class PartFile {
  readonly path: string;
  readonly #part: string;
  readonly #file: FileHandle;

  private constructor(path: string, part: string, file: FileHandle) {
    this.path = path;
    this.#part = part;
    this.#file = file;
  }

  /**
   * @param path where it will be; nothing may be there
   * @throws {FileFault} `EEXIST`, and whatever the system says
   */
  static create(path: string): Promise<PartFile> {
    return orFault(async () => {
      if (existsSync(path)) throw Object.assign(new Error('it exists already'), { code: 'EEXIST' });
      removeDeadParts(path);
      const part = `${path}.${process.pid}.part`;
      // Only its owner may read it: it may hold keys.
      const file = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
      return new PartFile(path, part, file);
    });
  }

  /** @throws {FileFault} */
  write(bytes: Uint8Array): Promise<void> {
    return orFault(async () => {
      for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
    });
  }

  /**
   * On the disk, and then under its name.
   * @throws {FileFault}
   */
  finish(): Promise<void> {
    return orFault(async () => {
      await this.#file.sync();
      await this.#file.close();
      // Unlike a rename, a link takes no other file away that has come meanwhile.
      try {
        await link(this.#part, this.path);
        await rm(this.#part);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
        await rename(this.#part, this.path);
      }
      const directory = await open(dirname(this.path), 'r');
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    });
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(this.#part, { force: true });
  }
}

async function orFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new FileFault('written', error as NodeJS.ErrnoException);
  }
}

/** Of backups that were killed. */
function removeDeadParts(path: string): void {
  const directory = dirname(path);
  const name = basename(path);
  for (const entry of readdirSync(directory)) {
    if (!entry.startsWith(`${name}.`)) continue;
    const [, pid] = /^\.(\d+)\.part$/.exec(entry.slice(name.length)) ?? [];
    if (pid !== undefined && !processExists(Number(pid))) rmSync(join(directory, entry), { force: true });
  }
}
