/**
 * The pause after a failed attempt: each is about twice the one before, with a random length, so that many clients that wait for the same
 * do not return at once.
 * @param failures before this one
 * @param first the longest first pause; the result has the same unit
 */
export function pauseAfter(failures: number, first: number, longest: number): number {
  const length = Math.min(longest, first * 2 ** Math.min(failures, 30));
  return length / 2 + (Math.random() * length) / 2;
}

/** Pauses between failed attempts, computed by {@link pauseAfter}. */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #failures = 0;

  /** In milliseconds. */
  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
  }

  /** How long to wait after another failure, in milliseconds. */
  next(): number {
    return pauseAfter(this.#failures++, this.#first, this.#longest);
  }

  reset(): void {
    this.#failures = 0;
  }
}
