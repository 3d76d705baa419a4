/** Pauses that a hint cuts short. Hints only save waiting: whoever relies on a pause looks again by itself when it is over. */

export interface PauseOptions {
  /** No hint ends the pause before, in milliseconds. */
  readonly least?: number;
  /** Ends the pause at once, whatever its least length. */
  readonly signal?: AbortSignal;
}

/** For one who pauses. A hint counts for the pause under way, or, since the last {@link Wakeup.forget}, for the next. */
export class Wakeup {
  /** When a hint ends the pause, by the steady clock. */
  #due = Infinity;
  #adjust: () => void = () => undefined;

  /** Ends the pause after this many milliseconds. */
  hint(within = 0): void {
    this.#due = Math.min(this.#due, performance.now() + within);
    this.#adjust();
  }

  /** What was hinted at until now is about to be looked at. */
  forget(): void {
    this.#due = Infinity;
  }

  /** @param most the length without a hint, in milliseconds */
  pause(most: number, { least = 0, signal }: PauseOptions = {}): Promise<void> {
    const began = performance.now();
    const left = (): number => {
      if (signal?.aborted === true) return 0;
      return Math.min(most, Math.max(least, this.#due - began)) - (performance.now() - began);
    };
    if (left() <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const adjust = (): void => {
        clearTimeout(timer);
        const milliseconds = left();
        if (milliseconds > 0) {
          timer = setTimeout(adjust, milliseconds);
          return;
        }
        this.#adjust = () => undefined;
        signal?.removeEventListener('abort', adjust);
        resolve();
      };
      this.#adjust = adjust;
      signal?.addEventListener('abort', adjust);
      adjust();
    });
  }
}
