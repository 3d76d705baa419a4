/**
 * The pause behind an attempt that failed: each about twice the one before, of random length, so that many who wait for the same do not come
 * back at once.
 * @param failures before this one
 * @param first the longest that the first pause may be; the pause is in the same unit
 */
export function pauseAfter(failures: number, first: number, longest: number): number {
  const length = Math.min(longest, first * 2 ** Math.min(failures, 30));
  return length / 2 + (Math.random() * length) / 2;
}

/** Pauses between attempts that fail, as {@link pauseAfter} has them. */
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
