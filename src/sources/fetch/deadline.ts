/** A time limit that does not run while it is paused. */
export class Deadline {
  readonly #controller = new AbortController();
  #left: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param milliseconds from now */
  constructor(milliseconds: number) {
    this.#left = milliseconds;
    this.#start();
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits without the time running. */
  async whilePaused<T>(wait: Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#startedAt;
    try {
      return await wait;
    } finally {
      this.#start();
    }
  }

  /** Nothing aborts afterwards. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = performance.now();
    const abort = (): void => this.#controller.abort(new DOMException('The time is over', 'TimeoutError'));
    this.#timer = setTimeout(abort, Math.max(0, this.#left)).unref();
  }
}
