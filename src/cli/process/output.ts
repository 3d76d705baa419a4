/** Standard output and standard error, written at once. */
import { writeSync } from 'node:fs';
import { CommandError, EXIT } from './command-error.ts';
import { isSystemError, pause, reasonOf } from './system-error.ts';

/** Gathered before it is written: a system call for each line would cost more than all the rest. */
const BATCH_BYTES = 256 * 1024;

export interface OutputOptions {
  /** Whether the command fails where this can't be written; true when absent. */
  readonly isNeeded?: boolean;
}

/**
 * Writes bytes and texts to an open file. Throws CommandError where that fails. From when its reader has gone, as `head` does, all is
 * dropped: that is no fault, and the command goes on to its exit code.
 */
export class Output {
  readonly #file: number;
  readonly #isNeeded: boolean;
  #isGone = false;
  #texts: string[] = [];
  #textLength = 0;

  constructor(file: number, { isNeeded = true }: OutputOptions = {}) {
    this.#file = file;
    this.#isNeeded = isNeeded;
  }

  text(text: string): void {
    this.#texts.push(text);
    this.#textLength += text.length;
    if (this.#textLength >= BATCH_BYTES) this.flush();
  }

  bytes(bytes: Uint8Array): void {
    this.flush();
    this.#write(bytes);
  }

  flush(): void {
    if (this.#texts.length === 0) return;
    const bytes = Buffer.from(this.#texts.join(''), 'utf8');
    this.#texts = [];
    this.#textLength = 0;
    this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#isGone;) {
      try {
        at += writeSync(this.#file, bytes, at);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (error.code === 'EAGAIN') pause();
        else if (error.code === 'EPIPE' || !this.#isNeeded) this.#isGone = true;
        else throw new CommandError(`The output can't be written: ${reasonOf(error)}`, EXIT.outputFailed);
      }
    }
  }
}
