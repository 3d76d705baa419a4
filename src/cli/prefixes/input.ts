/** Lists from files and from standard input, in chunks, so that a list of any length needs little memory. */
import { closeSync, openSync, readSync } from 'node:fs';
import { type Family, FAMILIES } from '../../core/address.ts';
import type { LineTaker } from '../../core/text/line-taker.ts';
import type { PrefixSetBuilder } from '../../core/sets/prefix-set.ts';
import type { PrefixList } from '../../core/prefix.ts';
import { type CollectedPrefixes, PrefixTextReader } from '../../core/text/prefix-text.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { isSystemError, pause, reasonOf } from '../process/system-error.ts';

/** Fits into the processor's cache together with the rows read from it. */
const CHUNK_BYTES = 256 * 1024;
const STANDARD_INPUT = 0;

export interface ReadList {
  /** As written on the command line. */
  readonly name: string;
  readonly accepted: number;
  readonly rejectedCount: number;
  readonly rejects: CollectedPrefixes['rejects'];
}

/** Reads the list at `path` (`-`: standard input) into sets. Throws CommandError when there is nothing to read. */
export function readSets(path: string, sets: Readonly<Record<Family, PrefixSetBuilder>>): ReadList {
  const takers = FAMILIES.map((family) => sets[family].lineTaker()).filter((taker) => taker !== null);
  return readList(path, (rows) => sets[rows.family].addSet(rows), takers);
}

/**
 * Reads the list at `path` and gives its prefixes to `take` as they come, without those that `takers` took; what it is given is
 * written over afterwards. Throws CommandError when there is nothing to read.
 */
export function readList(
  path: string,
  take: (rows: PrefixList) => void,
  takers: readonly LineTaker[] = [],
): ReadList {
  const reader = new PrefixTextReader(takers);
  const takeLent = (): void => {
    const { ipv4, ipv6 } = reader.lend();
    take(ipv4);
    take(ipv6);
  };
  readChunks(path, (chunk) => {
    reader.push(chunk);
    takeLent();
  });
  const { ipv4, ipv6, accepted, rejectedCount, rejects } = reader.finish();
  take(ipv4);
  take(ipv6);
  return { name: path === '-' ? '(standard input)' : path, accepted, rejectedCount, rejects };
}

function readChunks(path: string, take: (chunk: Uint8Array) => void): void {
  try {
    const file = path === '-' ? STANDARD_INPUT : openSync(path, 'r');
    try {
      const buffer = new Uint8Array(CHUNK_BYTES);
      for (let size = readInto(file, buffer); size > 0; size = readInto(file, buffer)) {
        take(buffer.subarray(0, size));
      }
    } finally {
      if (file !== STANDARD_INPUT) closeSync(file);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(`${path} can't be read: ${reasonOf(error)}`, EXIT.noInput);
  }
}

function readInto(file: number, buffer: Uint8Array): number {
  for (;;) {
    try {
      return readSync(file, buffer);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      // What Windows says at the end of a pipe.
      if (error.code === 'EOF') return 0;
      if (error.code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

export function readTwice(): UsageError {
  return new UsageError('Standard input can be read once only: write - once');
}
