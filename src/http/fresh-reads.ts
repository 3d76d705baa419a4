import { SharedReads } from './shared-reads.ts';

interface Kept<T> {
  readonly snapshot: string;
  readonly until: number;
  readonly result: T;
}

const KEPT_MS = 1_000;
/** Answers that are kept at most, of all tenants together. */
const KEPT_AT_MOST = 1_000;

/** Answers of one tenant by what was asked, the oldest first: a map keeps the order of insertion. */
type Answers<T> = Map<string, Kept<T>>;

/**
 * Answers again what was answered before, once the database has said that nothing was committed since. That question is one small
 * round trip for all who ask at the same time, whatever they ask; it is put after they asked, so that nobody misses a change
 * that was told as done to anybody. What depends on the clock as well is a second old at most. Where there is no more room, the tenant
 * that has the most loses its oldest: whoever asks for a thousand things at once pushes out none of the others' answers.
 */
export class FreshReads<T> {
  readonly #snapshot: () => Promise<string>;
  readonly #reads = new SharedReads<T>();
  readonly #kept = new Map<string, Answers<T>>();
  #count = 0;
  readonly #now: () => number;

  /**
   * @param snapshot asks for the name of the state of the database, not before it is called: equal names, equal state
   * @param now milliseconds that never go back
   */
  constructor(snapshot: () => Promise<string>, now: () => number = () => performance.now()) {
    this.#snapshot = snapshot;
    this.#now = now;
  }

  /** @param what names all that the answer depends on beside the tenant, including who asks */
  async read(
    tenantId: string,
    what: string,
    perform: () => Promise<T>,
    isKept: (result: T) => boolean,
  ): Promise<T> {
    const snapshot = await this.#snapshot();
    const look = async (): Promise<T> => {
      const until = this.#now() + KEPT_MS;
      const result = await perform();
      // What was committed meanwhile may be in the result or not, so the name from before goes with it: the next look will differ.
      this.#keep(tenantId, what, isKept(result) ? { snapshot, until, result } : null);
      return result;
    };
    return this.known(tenantId, what, snapshot) ?? this.#reads.read(`${tenantId} ${what}`, look);
  }

  /** What {@link read} would answer without a look, the state of the database being of this name; else undefined. */
  known(tenantId: string, what: string, snapshot: string): T | undefined {
    const kept = this.#kept.get(tenantId)?.get(what);
    return kept?.snapshot === snapshot && kept.until > this.#now() ? kept.result : undefined;
  }

  #keep(tenantId: string, what: string, kept: Kept<T> | null): void {
    this.#forget(tenantId, what);
    if (kept === null) return;
    for (const [name, { until }] of this.#kept.get(tenantId) ?? []) {
      if (until > this.#now()) break;
      this.#forget(tenantId, name);
    }
    if (this.#count >= KEPT_AT_MOST) this.#makeRoom();
    const answers = this.#kept.get(tenantId) ?? new Map<string, Kept<T>>();
    this.#kept.set(tenantId, answers.set(what, kept));
    this.#count++;
  }

  /** Of who has the most the oldest goes. Who asks no more keeps nothing that is over. */
  #makeRoom(): void {
    for (const [tenantId, answers] of this.#kept)
      for (const [what, { until }] of answers) {
        if (until > this.#now()) break;
        this.#forget(tenantId, what);
      }
    if (this.#count < KEPT_AT_MOST) return;
    const [tenantId, answers] = [...this.#kept].reduce((most, each) =>
      each[1].size > most[1].size ? each : most,
    );
    this.#forget(tenantId, answers.keys().next().value!);
  }

  #forget(tenantId: string, what: string): void {
    const answers = this.#kept.get(tenantId);
    if (answers?.delete(what) !== true) return;
    this.#count--;
    if (answers.size === 0) this.#kept.delete(tenantId);
  }
}
