import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from '../../concurrency/backoff.ts';
import { SourceError } from '../source-error.ts';

/** Times in milliseconds. */
export interface RetryRule {
  /** Including the first. */
  readonly attempts: number;
  /** The first pause is about this long; each further one doubles. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Repeats requests to one server that cannot answer now (429, 5xx, no connection), with exponential backoff and jitter. When the server
 * asks for a pause (Retry-After), every request of this policy waits for its end.
 */
export class RetryPolicy {
  readonly #rule: RetryRule;
  #quietUntil = 0;

  constructor(rule: RetryRule) {
    this.#rule = rule;
  }

  /** @throws the last attempt's error; the signal's reason when it aborts */
  async run<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let made = 1; ; made++) {
      await this.#pause(this.#quietUntil - performance.now(), signal);
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        const pause =
          made < this.#rule.attempts && error instanceof SourceError ? this.#pauseBefore(error, made) : null;
        if (pause === null) throw error;
        await this.#pause(pause, signal);
      }
    }
  }

  /** How long to wait before the next attempt; null if a retry is useless. */
  #pauseBefore(error: SourceError, made: number): number | null {
    if (!isPassing(error)) return null;
    const { firstMs, longestMs } = this.#rule;
    const asked = error.retryAfterMs ?? 0;
    if (asked > longestMs) return null;
    this.#quietUntil = Math.max(this.#quietUntil, performance.now() + asked);
    return pauseAfter(made - 1, firstMs, longestMs);
  }

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
}

function isPassing({ code, httpStatus = 0 }: SourceError): boolean {
  return code === 'source_unreachable' || httpStatus === 429 || httpStatus >= 500;
}
