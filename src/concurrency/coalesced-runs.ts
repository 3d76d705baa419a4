/** One run, and the run that follows if somebody waits for it. */
interface Run<T> {
  /** Never rejects. */
  readonly ended: Promise<unknown>;
  next: Promise<T> | null;
}

/**
 * Answers equal questions that arrive together with one run. A question that arrives while an equal one runs waits for the next run, which
 * has not started yet: so no caller gets an answer older than its question, and a client that has just changed something sees its change.
 */
export class CoalescedRuns<T> {
  readonly #runs = new Map<string, Run<T>>();

  /** @param what names everything that the answer depends on, including who asks */
  run(what: string, perform: () => Promise<T>): Promise<T> {
    const run = this.#runs.get(what);
    if (run === undefined) return this.#begin(what, perform);
    run.next ??= run.ended.then(() => this.#begin(what, perform));
    return run.next;
  }

  #begin(what: string, perform: () => Promise<T>): Promise<T> {
    const result = perform();
    const ended = result.then(
      () => this.#forget(what),
      () => this.#forget(what),
    );
    this.#runs.set(what, { ended, next: null });
    return result;
  }

  #forget(what: string): void {
    if (this.#runs.get(what)?.next === null) this.#runs.delete(what);
  }
}
