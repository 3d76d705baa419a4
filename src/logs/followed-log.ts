import type { LogDirectory, OpenLog } from './log-directory.ts';
import { linesIn, type LineFilter } from './log-lines.ts';
import { readBytes } from './tail-log.ts';

/** Octets per read, to limit the memory of readers. */
const CHUNK_BYTES = 256 * 1024;
/** A longer line is passed on in pieces of this size. */
const LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** A change of a file: a new line, or that the following lines are from its new beginning, or from another file under its name. */
export type LogChange = { readonly line: string } | { readonly event: 'truncated' | 'rotated' };

/** Reads a file on from the end of its tail, whatever happens to it: it may be truncated, replaced, or missing for a while. */
export class FollowedLog {
  readonly #directory: LogDirectory;
  readonly #name: string;
  readonly #filter: LineFilter;
  #open: OpenLog | null;
  #position: number;
  /** The start of a line without an end yet. */
  #rest: Buffer = Buffer.alloc(0);
  #closed = false;

  /**
   * @param open is closed together with this
   * @param position start of the first line that was not read yet
   */
  constructor(directory: LogDirectory, open: OpenLog, position: number, filter: LineFilter) {
    this.#directory = directory;
    this.#name = open.name;
    this.#filter = filter;
    this.#open = open;
    this.#position = position;
  }

  /** Some or all of what is new since the last call; null: nothing. Must not be called again before it has resolved. */
  async next(): Promise<readonly LogChange[] | null> {
    const changes: LogChange[] = [];
    const isMore = await this.#read(changes).catch(() => this.#lose());
    if (!isMore && changes.length === 0) await this.#lookForAnother(changes);
    if (this.#closed) await this.#release();
    return changes.length === 0 && !isMore ? null : changes;
  }

  /** Safe during `next`, which then closes the file itself. */
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
    for (const { text: line } of linesIn(bytes.subarray(0, whole)))
      if (this.#filter(line)) changes.push({ line });
  }

  /** Checks whether the name now leads to another file, after reading the old one to its end. */
  async #lookForAnother(changes: LogChange[]): Promise<void> {
    const identity = await this.#directory.identityOf(this.#name);
    if (identity === null || identity === this.#open?.identity) return;
    const open = await this.#directory.open(this.#name).catch(() => null);
    if (open === null) return;
    // Its writer may have gone on between the last read and the rotation: the other one waits until nothing comes any more.
    if (await this.#read(changes).catch(() => false)) return void (await open.handle.close());
    if (this.#rest.length > 0) this.#take(Buffer.concat([this.#rest, Buffer.of(NEWLINE)]), changes);
    await this.#release();
    this.#open = open;
    this.#position = 0;
    changes.push({ event: 'rotated' });
  }

  /** The volume of the files was removed. */
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
