import { tooLate } from '../provisional.ts';
import { SpeakerError } from '../speaker.ts';

export interface PendingCommitOptions {
  /** Until BIRD goes back by itself. */
  readonly seconds: number;
  /** @returns false when BIRD has gone back already */
  readonly confirm: () => Promise<boolean>;
  /** Has the files be those of before, and BIRD run them. @returns what became of it, for a person */
  readonly goBack: () => Promise<string>;
  /** Called once, at the end: BIRD is free for others. */
  readonly release: () => void;
}

/** A configuration that BIRD runs and goes back from by itself, unless it is confirmed. It ends once, one way or another. */
export class PendingCommit {
  readonly #options: PendingCommitOptions;
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;

  constructor(options: PendingCommitOptions) {
    this.#options = options;
    // Not before BIRD, whose time began earlier.
    this.#timer = setTimeout(() => void this.#expire(), options.seconds * 1_000);
  }

  /** @throws {SpeakerError} `confirm_timeout` when BIRD has gone back already */
  async confirm(): Promise<void> {
    const { seconds, confirm, goBack } = this.#options;
    if (!this.#end()) throw tooLate(seconds);
    try {
      if (!(await confirm())) throw tooLate(seconds);
    } catch (error) {
      throw withEnd(error, await goBack());
    } finally {
      this.#options.release();
    }
  }

  async undo(): Promise<void> {
    if (!this.#end()) return;
    await this.#options.goBack().finally(this.#options.release);
  }

  /** Nobody confirmed. BIRD has gone back, unless it restarted or an operator made it read the files: then it keeps them. */
  async #expire(): Promise<void> {
    if (!this.#end()) return;
    const { goBack, release } = this.#options;
    await goBack()
      .catch(() => undefined) // the next apply puts the files right first of all
      .finally(release);
  }

  /** @returns false when it has ended before */
  #end(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    return wasOpen;
  }
}

/** The error with what became of BIRD behind it. */
export function withEnd(error: unknown, end: string): unknown {
  if (!(error instanceof SpeakerError)) return error;
  return new SpeakerError(error.code, `${error.message}. ${end}`, { cause: error });
}
