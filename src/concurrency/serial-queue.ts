/** Runs pieces of work one after the other, in the order in which they came. A failure does not stop the next ones. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `work` does, once its turn has come. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Takes a turn that lasts until its holder ends it. @returns a function that ends it */
  take(): Promise<() => void> {
    return new Promise((begun) => {
      void this.run(() => new Promise<void>((end) => begun(end)));
    });
  }

  /** Resolves when everything queued until now has ended, successfully or not. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
