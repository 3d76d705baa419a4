import type { LogDirectory, OpenLog } from './log-directory.ts';
import { splitLines, type LineFilter } from './log-lines.ts';
import { readBytes } from './tail-log.ts';

/** Read at once, so that no reader holds more in memory. */
const CHUNK_BYTES = 256 * 1024;
/** A line without an end is passed on in pieces of this size. */
const LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** What has happened to a file: a new line, or that what follows is of its new beginning, or of another file under its name. */
export type LogChange = { readonly line: string } | { readonly event: 'truncated' | 'rotated' };

/** A file under a name, read on from where its tail ended, whatever becomes of it: it may be emptied, replaced, or gone for a while. */
export class FollowedLog {
  readonly #directory: LogDirectory;
  readonly #name: string;
  readonly #filter: LineFilter;
  #open: OpenLog | null;
  #position: number;
  /** Of a line that has no end yet. */
  #rest: Buffer = Buffer.alloc(0);
  #closed = false;

  /**
   * @param open is closed together with this
   * @param position where the first line begins that has not been read
   */
  constructor(directory: LogDirectory, open: OpenLog, position: number, filter: LineFilter) {
    this.#directory = directory;
    this.#name = open.name;
    this.#filter = filter;
    this.#open = open;
    this.#position = position;
  }

  /** What is new since the last call, or some of it; null: nothing. Not to be called again before it has answered. */
  async next(): Promise<readonly LogChange[] | null> {
    const changes: LogChange[] = [];
    const isMore = await this.#read(changes).catch(() => this.#lose());
    if (!isMore && changes.length === 0) await this.#lookForAnother(changes);
    if (this.#closed) await this.#release();
    return changes.length === 0 && !isMore ? null : changes;
  }

  /** Safe while `next` is at work, which then releases the file itself. */
  close(): void {
    this.#closed = true;
    void this.#release();
  }

  /** @returns whether anything was read */
  async #read(changes: LogChange[]): Promise<boolean> {
    if (this.#open === null) return false;
    const { handle } = this.#open;
    const { size } = await handle.stat();
    if (size < this.#position) {
      this.#position = 0;
      this.#rest = Buffer.alloc(0);
      changes.push({ event: 'truncated' });
    }
    if (size <= this.#position) return false;
    const bytes = await readBytes(handle, this.#position, Math.min(CHUNK_BYTES, size - this.#position));
    this.#position += bytes.length;
    this.#take(Buffer.concat([this.#rest, bytes]), changes);
    return bytes.length > 0;
  }

  #take(bytes: Buffer, changes: LogChange[]): void {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const whole = end === 0 && bytes.length >= LINE_BYTES ? bytes.length : end;
    this.#rest = Buffer.from(bytes.subarray(whole));
    for (const line of splitLines(bytes.subarray(0, whole))) if (this.#filter(line)) changes.push({ line });
  }

  /** Looks whether another file has the name by now; the one before has been read to its end. */
  async #lookForAnother(changes: LogChange[]): Promise<void> {
    const identity = await this.#directory.identityOf(this.#name);
    if (identity === null || identity === this.#open?.identity) return;
    const open = await this.#directory.open(this.#name).catch(() => null);
    if (open === null) return;
    if (this.#rest.length > 0) this.#take(Buffer.concat([this.#rest, Buffer.of(NEWLINE)]), changes);
    await this.#release();
    this.#open = open;
    this.#position = 0;
    changes.push({ event: 'rotated' });
  }

  /** A volume went away under its files. */
  async #lose(): Promise<boolean> {
    await this.#release();
    return false;
  }

  async #release(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.handle.close().catch(() => undefined);
  }
}
