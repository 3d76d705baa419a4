/** For this long the name of what is committed is taken for current: lookups promise to be fresh within a second, not at once. */
const RECENT_MS = 250;

/**
 * The name of what is committed as it was a moment ago, so that a busy service asks for it four times a second and not for every
 * request. After a change by this process itself it is asked for again.
 */
export class RecentSnapshot {
  readonly #ask: () => Promise<string>;
  readonly #now: () => number;
  #last: Promise<string> | null = null;
  /** What `#last` answered; null until then. */
  #answer: string | null = null;
  #until = 0;

  /** @param now milliseconds that never go back */
  constructor(ask: () => Promise<string>, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  read(): Promise<string> {
    if (this.#last !== null && this.#until > this.#now()) return this.#last;
    const asked = this.#ask();
    this.#last = asked;
    this.#answer = null;
    // Counted from the question, since the answer is from then at the latest.
    this.#until = this.#now() + RECENT_MS;
    asked.then(
      (answer) => {
        if (this.#last === asked) this.#answer = answer;
      },
      () => this.forget(),
    );
    return asked;
  }

  /** What {@link read} would answer, where that takes no question; else null. */
  known(): string | null {
    return this.#last !== null && this.#until > this.#now() ? this.#answer : null;
  }

  forget(): void {
    this.#last = null;
  }
}
