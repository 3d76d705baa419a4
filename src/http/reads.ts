/**
 * Reads that requests share. The database names its committed state: equal names, equal state. That question is one small query for all
 * who ask at the same time, and while the name stays the same, an answer is used again. There are two degrees of freshness: `current`
 * asks for the name after the request has arrived, so that nobody misses a confirmed change; `recent` asks some times a second, and while
 * somebody reads, it asks before the last answer is too old: no reader waits then.
 */
import { CoalescedRuns } from '../concurrency/coalesced-runs.ts';
import type { Rendered } from './answer.ts';
import type { Principal } from './route.ts';

/** For this long a name is taken for current by recent reads: lookups promise to be fresh within a second, not at once. */
const RECENT_MS = 250;
/** So long before its end a name is asked for again: several times what that takes on a busy database. */
const NAME_AHEAD_MS = 75;
/** What depends on the clock as well is a second old at most. */
const KEPT_MS = 1_000;
/** So long before its end a state that is being read is read again. */
const STATE_AHEAD_MS = 250;
/** Of the results that are kept, of all tenants together; each weighs 1 at least. */
const MAX_WEIGHT = 1_000;

/** An answer to a read. */
export interface KeptAnswer extends Rendered {
  /** The template of its path, if whoever sends the same request again is answered the same, whatever else its head has; else null. */
  readonly repeats: string | null;
}

/** What the answer depends on beside the tenant: who asks, and for what. */
export function questionOf({ key }: Pick<Principal, 'key'>, url: string): string {
  return `${key.id} ${url}`;
}

export class Reads<Answer, State = unknown> {
  readonly #askName: () => Promise<string>;
  readonly #now: () => number;
  readonly #names = new CoalescedRuns<string>();
  readonly #answers: KeptResults<Answer>;
  readonly #states: KeptResults<State>;
  #recentName: RecentName | null = null;
  /** What comes in its place. */
  #nextName: RecentName | null = null;

  /**
   * @param askName asks for the name of the committed state, not before it is called
   * @param now milliseconds that never go back
   */
  constructor(askName: () => Promise<string>, now: () => number = () => performance.now()) {
    this.#askName = () => this.#names.run('', askName);
    this.#now = now;
    this.#answers = new KeptResults(now);
    this.#states = new KeptResults(now);
  }

  /**
   * What holds all that was committed before the call.
   * @param what names all that the answer depends on beside the tenant, including who asks
   * @param weigh null: it is not kept
   */
  async current(
    tenantId: string,
    what: string,
    perform: () => Promise<Answer>,
    weigh: (answer: Answer) => number | null,
  ): Promise<Answer> {
    return this.#answers.read(tenantId, what, await this.#askName(), perform, weigh);
  }

  /** What {@link current} may answer again; whether it still does is for {@link keptStill} to say. */
  kept(tenantId: string, what: string): Answer | undefined {
    return this.#answers.kept(tenantId, what);
  }

  /** What is kept and holds all that was committed before the call; undefined: nothing does. */
  async keptStill(tenantId: string, what: string): Promise<Answer | undefined> {
    return this.#answers.known(tenantId, what, await this.#askName());
  }

  /** What holds all that this process committed before the call, and what others committed a quarter of a second before. */
  async recent(tenantId: string, what: string, perform: () => Promise<State>): Promise<State> {
    return this.#states.read(tenantId, what, await this.#readRecentName(), perform, () => 1);
  }

  /** What {@link recent} would answer, where that takes no query; else undefined. What will soon be too old is renewed meanwhile. */
  knownRecent(tenantId: string, what: string): State | undefined {
    const recent = this.#newestName();
    if (recent?.name === undefined || recent.name === null) return undefined;
    if (recent.until - this.#now() < NAME_AHEAD_MS) this.#nextName ??= this.#ask();
    const next = this.#nextName?.name ?? recent.name;
    this.#states.renew(tenantId, what, next);
    return this.#states.known(tenantId, what, recent.name) ?? this.#states.known(tenantId, what, next);
  }

  /** This process committed something: the next recent read asks for the name. */
  committed(): void {
    this.#recentName = null;
    this.#nextName = null;
  }

  #readRecentName(): Promise<string> {
    return (this.#newestName() ?? (this.#recentName = this.#ask())).asked;
  }

  /** That is recent enough; null: none is. */
  #newestName(): RecentName | null {
    const now = this.#now();
    if (this.#recentName !== null && this.#recentName.until > now) return this.#recentName;
    this.#recentName = this.#nextName !== null && this.#nextName.until > now ? this.#nextName : null;
    this.#nextName = null;
    return this.#recentName;
  }

  #ask(): RecentName {
    // Counted from the question, since the answer is from then at the latest.
    const until = this.#now() + RECENT_MS;
    const asked = this.#askName();
    const recent: RecentName = { asked, name: null, until };
    asked.then(
      (name) => {
        recent.name = name;
      },
      () => this.committed(),
    );
    return recent;
  }
}

interface RecentName {
  readonly asked: Promise<string>;
  /** What `asked` answered; null until then. */
  name: string | null;
  readonly until: number;
}

interface Kept<T> {
  readonly name: string;
  readonly until: number;
  readonly weight: number;
  readonly result: T;
  /** Reads it again, under the name of the state that is current by now. */
  readonly readAgain: (name: string) => Promise<T>;
  isBeingRenewed: boolean;
}

interface KeptOfTenant<T> {
  /** By question, the oldest first, since a map keeps the order of insertion. */
  readonly results: Map<string, Kept<T>>;
  weight: number;
}

/**
 * Results of queries by tenant and question, with the name of the state that they show. Where there is no more room, the tenant that has
 * most of it loses its oldest: whoever asks for a thousand things at once pushes out none of the others' results, as it would from a cache
 * that forgets what was used least recently.
 */
class KeptResults<T> {
  readonly #now: () => number;
  readonly #runs = new CoalescedRuns<T>();
  readonly #kept = new Map<string, KeptOfTenant<T>>();
  #weight = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  async read(
    tenantId: string,
    what: string,
    name: string,
    perform: () => Promise<T>,
    weigh: (result: T) => number | null,
  ): Promise<T> {
    const readAgain = (asOf: string): Promise<T> =>
      this.#runs.run(`${tenantId} ${what}`, async () => {
        const until = this.#now() + KEPT_MS;
        const result = await perform();
        // What was committed meanwhile may be in the result or not, so the name from before goes with it: the next name will differ.
        const weight = weigh(result);
        const kept = { name: asOf, until, result, readAgain, isBeingRenewed: false };
        this.#keep(tenantId, what, weight === null ? null : { ...kept, weight });
        return result;
      });
    return this.known(tenantId, what, name) ?? readAgain(name);
  }

  /** Reads what is kept again, in the background, if it is of another state or will soon be too old. Until then it stays. */
  renew(tenantId: string, what: string, name: string): void {
    const kept = this.#find(tenantId, what);
    if (kept === undefined || kept.isBeingRenewed) return;
    if (kept.name === name && kept.until - this.#now() >= STATE_AHEAD_MS) return;
    kept.isBeingRenewed = true;
    // Whoever reads it next meets the same fault, and reports it.
    kept.readAgain(name).catch(() => undefined);
  }

  known(tenantId: string, what: string, name: string): T | undefined {
    const kept = this.#find(tenantId, what);
    return kept?.name === name ? kept.result : undefined;
  }

  /** Of whatever state. */
  kept(tenantId: string, what: string): T | undefined {
    return this.#find(tenantId, what)?.result;
  }

  #find(tenantId: string, what: string): Kept<T> | undefined {
    const kept = this.#kept.get(tenantId)?.results.get(what);
    return kept !== undefined && kept.until > this.#now() ? kept : undefined;
  }

  #keep(tenantId: string, what: string, kept: Kept<T> | null): void {
    this.#forget(tenantId, what);
    if (kept === null) return;
    this.#forgetExpired(tenantId);
    const most = MAX_WEIGHT - kept.weight;
    if (this.#weight > most) this.#makeRoom(most);
    const ofTenant = this.#kept.get(tenantId) ?? { results: new Map<string, Kept<T>>(), weight: 0 };
    this.#kept.set(tenantId, ofTenant);
    ofTenant.results.set(what, kept);
    ofTenant.weight += kept.weight;
    this.#weight += kept.weight;
  }

  /** Expired results go first, also of tenants that ask no more. */
  #makeRoom(mostWeight: number): void {
    for (const tenantId of this.#kept.keys()) this.#forgetExpired(tenantId);
    while (this.#weight > mostWeight) {
      const [tenantId, { results }] = [...this.#kept].reduce((most, each) =>
        each[1].weight > most[1].weight ? each : most,
      );
      this.#forget(tenantId, results.keys().next().value!);
    }
  }

  #forgetExpired(tenantId: string): void {
    for (const [what, { until }] of this.#kept.get(tenantId)?.results ?? []) {
      if (until > this.#now()) break;
      this.#forget(tenantId, what);
    }
  }

  #forget(tenantId: string, what: string): void {
    const ofTenant = this.#kept.get(tenantId);
    const kept = ofTenant?.results.get(what);
    if (ofTenant === undefined || kept === undefined) return;
    ofTenant.results.delete(what);
    ofTenant.weight -= kept.weight;
    this.#weight -= kept.weight;
    if (ofTenant.results.size === 0) this.#kept.delete(tenantId);
  }
}
