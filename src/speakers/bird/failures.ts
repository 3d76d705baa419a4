import { SpeakerError } from '../speaker.ts';

/** Before a configuration that failed is retried automatically. */
const PAUSE_MILLISECONDS = 5_000;
/** The pause after BIRD reverted a configuration is longer, since the routes of peers changed twice; it doubles with each failure. */
const FIRST_LONG_PAUSE_MILLISECONDS = 15_000;
const LONGEST_PAUSE_MILLISECONDS = 600_000;
const TAKEN_BACK: readonly string[] = ['verification_failed', 'confirm_timeout'];

/** The last configuration of a speaker that failed and will fail again until something changes. */
export class Failures {
  #last: {
    readonly hash: string;
    readonly error: SpeakerError;
    readonly pause: number;
    readonly until: number;
  } | null = null;

  /** @throws {SpeakerError} the failure, while it is too early to retry that configuration */
  throwIfTooEarly(hash: string): void {
    const last = this.#last;
    if (last?.hash === hash && performance.now() < last.until) throw last.error;
  }

  note(hash: string, error: unknown): void {
    if (!(error instanceof SpeakerError) || error.code === 'speaker_unreachable') return;
    const before = this.#last?.hash === hash ? this.#last.pause : 0;
    const pause = TAKEN_BACK.includes(error.code)
      ? Math.max(FIRST_LONG_PAUSE_MILLISECONDS, Math.min(before * 2, LONGEST_PAUSE_MILLISECONDS))
      : PAUSE_MILLISECONDS;
    this.#last = { hash, error, pause, until: performance.now() + pause };
  }

  clear(): void {
    this.#last = null;
  }
}
