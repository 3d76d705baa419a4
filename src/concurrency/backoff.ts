/** Pauses between attempts that fail: each about twice the one before, of random length, so that many agents do not come back at once. */
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
    const length = Math.min(this.#longest, this.#first * 2 ** Math.min(this.#failures++, 30));
    return length / 2 + (Math.random() * length) / 2;
  }

  reset(): void {
    this.#failures = 0;
  }
}
