/** Pauses that a hint can shorten. A hint may be lost: callers check for work by themselves when the pause is over. */

export interface PauseOptions {
  /** Milliseconds before which no hint ends the pause. */
  readonly least?: number;
  /** Ends the pause at once, even before its minimum. */
  readonly signal?: AbortSignal;
}

/** For one waiting loop. A hint shortens the present pause or, since the last {@link Wakeup.forget}, the next one. */
export class Wakeup {
  /** When a hint ends the pause, on the steady clock. */
  #due = Infinity;
  #adjust: () => void = () => undefined;

  /** Ends the pause after this many milliseconds. */
  hint(within = 0): void {
    this.#due = Math.min(this.#due, performance.now() + within);
    this.#adjust();
  }

  /** Drops earlier hints, since the work that they announced is about to be done. */
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
