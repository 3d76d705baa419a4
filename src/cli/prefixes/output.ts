/** Standard output and standard error, written at once: whoever stops reading ends the command quietly. */
import { writeSync } from 'node:fs';
import { CommandError, EXIT } from './command.ts';
import { isSystemError, pause, reasonOf } from './input.ts';

/** Gathered before it is written: a system call for each line would cost more than all the rest. */
const BATCH_BYTES = 256 * 1024;

/** Thrown when the reader of the output has gone, as `head` does: no fault, and nothing is left to do. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** Writes bytes and texts to an open file. Throws CommandError where that fails, ReaderGone at a closed pipe. */
export class Output {
  private readonly file: number;
  private texts: string[] = [];
  private textLength = 0;

  constructor(file: number) {
    this.file = file;
  }

  text(text: string): void {
    this.texts.push(text);
    this.textLength += text.length;
    if (this.textLength >= BATCH_BYTES) this.flush();
  }

  bytes(bytes: Uint8Array): void {
    this.flush();
    this.write(bytes);
  }

  flush(): void {
    if (this.texts.length === 0) return;
    const bytes = Buffer.from(this.texts.join(''), 'utf8');
    this.texts = [];
    this.textLength = 0;
    this.write(bytes);
  }

  private write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(this.file, bytes, at);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (error.code === 'EPIPE') throw new ReaderGone();
        if (error.code !== 'EAGAIN') {
          throw new CommandError(`The output can't be written: ${reasonOf(error)}`, EXIT.outputFailed);
        }
        pause();
      }
    }
  }
}
