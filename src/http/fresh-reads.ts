import { SharedReads } from './shared-reads.ts';

interface Kept<T> {
  readonly snapshot: string;
  readonly until: number;
  readonly result: T;
}

const KEPT_MS = 1_000;
const KEPT_AT_MOST = 1_000;

/**
 * Answers again what was answered before, once the database has said that nothing was committed since. That question is one small
 * round trip for all who ask at the same time, whatever they ask; it is put after they asked, so that nobody misses a change
 * that was told as done to anybody. What depends on the clock as well is a second old at most.
 */
export class FreshReads<T> {
  readonly #snapshot: () => Promise<string>;
  readonly #reads = new SharedReads<T>();
  readonly #kept = new Map<string, Kept<T>>();
  readonly #now: () => number;

  /**
   * @param snapshot asks for the name of the state of the database, not before it is called: equal names, equal state
   * @param now milliseconds that never go back
   */
  constructor(snapshot: () => Promise<string>, now: () => number = () => performance.now()) {
    this.#snapshot = snapshot;
    this.#now = now;
  }

  /**
   * @param what names all that the answer depends on, including who asks
   * @param isKept tells whether an answer is worth its memory
   */
  async read(what: string, perform: () => Promise<T>, isKept: (result: T) => boolean): Promise<T> {
    const snapshot = await this.#snapshot();
    return (
      this.known(what, snapshot) ??
      this.#reads.read(what, () => this.#perform(what, snapshot, perform, isKept))
    );
  }

  /** What {@link read} would answer without a look, the state of the database being of this name; else undefined. */
  known(what: string, snapshot: string): T | undefined {
    const kept = this.#kept.get(what);
    return kept?.snapshot === snapshot && kept.until > this.#now() ? kept.result : undefined;
  }

  /** `snapshot` is from before: what was committed meanwhile may be in the result or not, so the next look will differ. */
  async #perform(
    what: string,
    snapshot: string,
    perform: () => Promise<T>,
    isKept: (result: T) => boolean,
  ): Promise<T> {
    const until = this.#now() + KEPT_MS;
    const result = await perform();
    this.#kept.delete(what);
    if (!isKept(result)) return result;
    // A map keeps the order of insertion: what is over stands in front, and then comes the oldest.
    for (const [name, kept] of this.#kept) {
      if (kept.until > this.#now() && this.#kept.size < KEPT_AT_MOST) break;
      this.#kept.delete(name);
    }
    this.#kept.set(what, { snapshot, until, result });
    return result;
  }
}
