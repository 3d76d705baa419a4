import { SpeakerError } from '../speaker.ts';

/** A configuration that failed is not tried again by itself before, in milliseconds. */
const PAUSE = 5_000;
/** One that BIRD took back has moved the routes of peers to and fro: longer, and twice as long after each failure. */
const FIRST_LONG_PAUSE = 15_000;
const LONGEST_PAUSE = 600_000;
const TAKEN_BACK: readonly string[] = ['verification_failed', 'confirm_timeout'];

/** The configuration of one speaker that failed last, and will fail again until something changes. */
export class Failures {
  #last: {
    readonly hash: string;
    readonly error: SpeakerError;
    readonly pause: number;
    readonly until: number;
  } | null = null;

  /** @throws {SpeakerError} the failure, while it is too early to try that configuration again */
  throwIfTooEarly(hash: string): void {
    const last = this.#last;
    if (last?.hash === hash && performance.now() < last.until) throw last.error;
  }

  note(hash: string, error: unknown): void {
    if (!(error instanceof SpeakerError) || error.code === 'speaker_unreachable') return;
    const before = this.#last?.hash === hash ? this.#last.pause : 0;
    const pause = TAKEN_BACK.includes(error.code)
      ? Math.max(FIRST_LONG_PAUSE, Math.min(before * 2, LONGEST_PAUSE))
      : PAUSE;
    this.#last = { hash, error, pause, until: performance.now() + pause };
  }

  clear(): void {
    this.#last = null;
  }
}
