import type { FileHandle } from 'node:fs/promises';
import { Slices } from '../concurrency/slices.ts';
import type { OpenLog } from './log-directory.ts';
import { linesIn, readLine, type LineFilter } from './log-lines.ts';

const NEWLINE = 0x0a;
/** Lines between two looks at the clock. */
const LOOK = 32;

export interface Tail {
  /** Oldest first. */
  readonly lines: TailLines;
  /** Whether the file has more lines before these. */
  readonly truncated: boolean;
  /** Where the next line begins: after the last complete one. */
  readonly position: number;
}

export interface TailRequest {
  readonly lines: number;
  readonly bytes: number;
  readonly filter: LineFilter;
  /** Leaves out an incomplete last line, for callers that read on from `position`. */
  readonly isFollowed?: boolean;
}

/**
 * Lines as the octets that they were read as, each of which is text only while it is looked at: the lines of one tail as strings are megabytes that V8 has to
 * look through for as long as the tail is written, and all garbage of the event loop with them.
 */
class TailLines implements Iterable<string> {
  readonly #octets: Buffer;
  /** Where each line begins and ends. */
  readonly #places: readonly number[];

  constructor(octets: Buffer, places: readonly number[]) {
    this.#octets = octets;
    this.#places = places;
  }

  *[Symbol.iterator](): Generator<string> {
    for (let at = 0; at < this.#places.length; at += 2)
      yield readLine(this.#octets, this.#places[at]!, this.#places[at + 1]!);
  }
}

/**
 * The last lines within the last octets of the file, at the size that it had when it was opened: the cost depends on the tail, not on the
 * file.
 */
export async function tailLog(
  { handle, size }: Pick<OpenLog, 'handle' | 'size'>,
  { lines: most, bytes, filter, isFollowed = false }: TailRequest,
): Promise<Tail> {
  // One octet more shows whether a line begins there.
  const start = Math.max(0, size - bytes - 1);
  const all = await readBytes(handle, start, size - start);
  const whole = all.lastIndexOf(NEWLINE) + 1;
  const read = isFollowed ? all.subarray(0, whole) : all;
  const octets = size <= bytes ? read : fromWholeLine(read);
  const places = await placesOf(octets, filter);
  const truncated = size > bytes || places.length > 2 * most;
  return { lines: new TailLines(octets, places.slice(-2 * most)), truncated, position: start + whole };
}

/** Where each line that passes begins and ends. */
async function placesOf(octets: Buffer, filter: LineFilter): Promise<number[]> {
  const places: number[] = [];
  const slices = new Slices();
  let count = 0;
  for (const { begin, end, text } of linesIn(octets)) {
    if (filter(text)) places.push(begin, end);
    if (++count % LOOK === 0) await slices.pause();
  }
  return places;
}

/** Drops the incomplete first line, unless it is the only one. Text after a hole is a separate line. */
function fromWholeLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(NEWLINE);
  const hole = bytes.lastIndexOf(0, end);
  if (hole >= 0) return bytes.subarray(hole + 1);
  if (end >= 0 && end < bytes.length - 1) return bytes.subarray(end + 1);
  // Not inside a UTF-8 character.
  let start = 1;
  while (start < 4 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

/** As many octets as there are: the file may have become shorter. */
export async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
