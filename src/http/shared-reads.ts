/** One run, and the one that will follow it once somebody waits for it. */
interface Run<T> {
  /** Never rejects. */
  readonly ended: Promise<unknown>;
  next: Promise<T> | null;
}

/**
 * Answers many who ask for the same at once by one look into the database. A read that arrives while its like runs waits for the
 * next run, which has yet to begin: nobody is told less than was true when they asked, so that a client that has just changed
 * something sees its change.
 */
export class SharedReads<T> {
  readonly #runs = new Map<string, Run<T>>();

  /** @param what names all that the answer depends on, including who asks */
  read(what: string, perform: () => Promise<T>): Promise<T> {
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
