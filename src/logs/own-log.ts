/** The log of this process as one of the files: lines are appended, and it continues in a new file when its own is removed. */
import { closeSync, constants, fstatSync, mkdirSync, openSync, type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pino } from 'pino';
import type { OwnFile } from './log-directory.ts';

/** Appends, follows no link, and waits for no reader of a FIFO. */
const FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK |
  constants.O_NOCTTY;
/** Readable by its group, as logs of daemons are. */
const MODE = 0o640;
/** Milliseconds between checks that the file still has its name; only while there are lines to write. */
const LOOK_MILLISECONDS = 1_000;
/** Octets that may wait for a slow disk; more are dropped, since the service does not wait for its log. */
const WAITING_BYTES = 16 * 1024 * 1024;

type Destination = ReturnType<typeof pino.destination>;

interface Writer {
  readonly destination: Destination;
  readonly dev: bigint;
  readonly ino: bigint;
}

export class OwnLog implements OwnFile {
  readonly name: string;
  readonly #path: string;
  /** Null while there is no file to write to. */
  #writer: Writer | null = null;
  #lookAt = 0;
  #closed = false;

  /** Creates the directory if it is missing; a missing volume is looked for again while there are lines to write. */
  constructor(path: string, name: string) {
    this.#path = path;
    this.name = name;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
    } catch {
      // A log that cannot be written does not stop the service; the routes report the fault.
    }
  }

  /** Called by pino for each line. */
  write(line: string): void {
    if (this.#closed) return;
    const now = performance.now();
    if (now >= this.#lookAt) {
      this.#lookAt = now + LOOK_MILLISECONDS;
      if (this.#writer === null) this.#open();
      else void this.#lookAfter(this.#writer);
    }
    this.#writer?.destination.write(line);
  }

  /** The file was deleted: the next line goes to a new one. */
  reopen(): void {
    this.#writer?.destination.end();
    this.#writer = null;
    this.#lookAt = 0;
  }

  /** Writes pending lines, and none after that. */
  close(): void {
    this.#closed = true;
    try {
      this.#writer?.destination.flushSync();
    } catch {
      // The volume is gone, and with it the pending lines.
    }
    this.reopen();
  }

  #open(): void {
    let fd: number;
    try {
      fd = openSync(this.#path, FLAGS, MODE);
    } catch {
      return;
    }
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile() || stats.nlink !== 1n) return closeSync(fd);
    const destination = pino.destination({ dest: fd, sync: false, maxLength: WAITING_BYTES });
    // A full disk loses lines here, but not on standard output.
    destination.on('error', () => undefined);
    this.#writer = { destination, dev: stats.dev, ino: stats.ino };
  }

  /** Closes a file that was rotated or deleted, or whose volume was removed. */
  async #lookAfter(writer: Writer): Promise<void> {
    const stats: BigIntStats | null = await lstat(this.#path, { bigint: true }).catch(() => null);
    const isThere = stats !== null && stats.dev === writer.dev && stats.ino === writer.ino;
    if (!isThere && this.#writer === writer) this.reopen();
  }
}
