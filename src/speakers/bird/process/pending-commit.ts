import { tooLate } from '../../provisional.ts';
import { SpeakerError } from '../../speaker.ts';

export interface PendingCommitOptions {
  /** Seconds until BIRD reverts by itself. */
  readonly seconds: number;
  /** @returns false when BIRD has reverted already */
  readonly confirm: () => Promise<boolean>;
  /** Restores the previous files and makes BIRD run them. @returns the outcome, for a person */
  readonly goBack: () => Promise<string>;
  /** Called once, at the end: BIRD is free for other speakers. */
  readonly release: () => void;
}

/** A configuration that BIRD runs and reverts by itself, unless it is confirmed. It ends once, in one of these ways. */
export class PendingCommit {
  readonly #options: PendingCommitOptions;
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;

  constructor(options: PendingCommitOptions) {
    this.#options = options;
    // Not before BIRD's own timer, which started earlier.
    this.#timer = setTimeout(() => void this.#expire(), options.seconds * 1_000);
  }

  /** @throws {SpeakerError} `confirm_timeout` when BIRD has reverted already */
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

  /** Not confirmed in time. BIRD has reverted, unless it restarted or an operator made it read the files: then it keeps them. */
  async #expire(): Promise<void> {
    if (!this.#end()) return;
    const { goBack, release } = this.#options;
    await goBack()
      .catch(() => undefined) // the next apply corrects the files first
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

/** The error, followed by what became of BIRD. */
export function withEnd(error: unknown, end: string): unknown {
  if (!(error instanceof SpeakerError)) return error;
  return new SpeakerError(error.code, `${error.message}. ${end}`, { cause: error });
}
