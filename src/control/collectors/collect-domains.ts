import { Semaphore } from '../../concurrency/semaphore.ts';
import { RESOLVER_DEFAULTS, type DohResolverPolicy, type Module } from '../../api/lists/modules.ts';
import type { DomainAddress } from '../../api/entries/domain-entries.ts';
import type { Family } from '../../core/address.ts';
import type { Reach } from '../../core/reach.ts';
import type { RowsOfLabel } from '../../core/tables/rows-by-label.ts';
import { type DomainAnswer, type Resolver, resolveDomain } from '../../sources/doh/domain.ts';
import { SourceError } from '../../sources/source-error.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listProfilesToAsk, type ProfileToAsk } from '../../store/modules/doh-profiles.ts';
import {
  type DomainToCollect,
  listDomainsToCollect,
  readDatabaseTime,
  recordDomainOutcomes,
} from '../../store/entries/domain-entries.ts';
import {
  addList,
  type Collection,
  type EntryLists,
  type EntryOutcome,
  NOTHING_DROPPED,
} from './collect-sources.ts';
import { type CollectRules, type CollectTools, NOTHING_SINCE, type Reading, type Since } from './reading.ts';
import { resolverOf } from '../lists/doh-profiles.ts';
import { type AddressRules, type DomainAnswers, mergeAddresses, prefixesOf } from './domain-addresses.ts';

/** Addresses that the domains of one module hold together: a resolver could fill the memory with made-up ones. */
const MAX_ADDRESSES = 500_000;

/** Milliseconds for all domains together: slow resolvers of one tenant must not take the places of other jobs for hours. */
const WITHIN_MS = 15 * 60_000;

/** The domains of a module, and how they are to be resolved. */
export interface DomainsToCollect {
  readonly entries: readonly DomainToCollect[];
  /** Enabled ones, in the order in which they are asked. */
  readonly profiles: readonly ProfileToAsk[];
  readonly policy: DohResolverPolicy;
  /** What is asked for where the policy says nothing. */
  readonly families: readonly Family[];
  /** Now, by the database's clock. */
  readonly at: string;
}

/** Begins to read the addresses of the domains of a module. */
export async function beginDomains(
  tx: TenantTx,
  module: Module,
  { secrets, fetch }: CollectTools,
): Promise<Reading> {
  const { id, doh_profile_ids: profileIds, doh_resolver_policy: policy, families } = module;
  const domains = {
    entries: await listDomainsToCollect(tx, id),
    profiles: await listProfilesToAsk(tx, secrets, profileIds),
    policy: policy ?? {},
    families,
    at: await readDatabaseTime(tx),
  };
  return new DomainReading(module, domains, fetch);
}

class DomainReading implements Reading {
  readonly #module: Module;
  readonly #domains: DomainsToCollect;
  readonly #fetch: CollectTools['fetch'];
  #resolved: DomainCollection | null = null;

  constructor(module: Module, domains: DomainsToCollect, fetch: CollectTools['fetch']) {
    this.#module = module;
    this.#domains = domains;
    this.#fetch = fetch;
  }

  get count(): number {
    return this.#domains.entries.length;
  }

  async collect(
    previous: EntryLists,
    { bogons, signal }: CollectRules,
    progress: (done: number, total: number) => void,
  ): Promise<Collection> {
    const options = { ...this.#fetch, bogons, signal };
    return (this.#resolved = await collectDomains(this.#domains, previous, options, progress));
  }

  /** What was resolved, on top of what another refresh of the module has seen since. */
  async compare(tx: TenantTx, now: Module): Promise<Since> {
    if (now.last_refresh?.job_id === this.#module.last_refresh?.job_id) return NOTHING_SINCE;
    this.#resolved = resettle(this.#resolved!, await listDomainsToCollect(tx, now.id));
    return { ...NOTHING_SINCE, newer: this.#resolved };
  }

  async record(tx: TenantTx, outcomes: readonly EntryOutcome[]): Promise<void> {
    await recordDomainOutcomes(tx, outcomes, this.#resolved!.addresses);
  }
}

export interface DomainCollectOptions {
  readonly bogons: 'drop' | 'allow';
  /** Special-purpose networks that may be reached all the same. */
  readonly reach: Reach;
  readonly signal: AbortSignal;
  /** Milliseconds after which no more domains are asked for. */
  readonly withinMs?: number;
}

export interface DomainCollection extends Collection {
  /** What entries hold now, by id; those of which nothing was answered are missing. */
  readonly addresses: ReadonlyMap<string, readonly DomainAddress[]>;
  /** What was answered for each of these, and by which rules it was merged with what the entry held. */
  readonly answers: ReadonlyMap<string, DomainAnswers>;
  readonly rules: AddressRules;
}

/**
 * Resolves every domain. If no resolver answers, the entry contributes what it did; an answer without addresses takes
 * effect when the retention of what was seen before is over.
 * @throws the signal's reason when it aborts
 */
export async function collectDomains(
  { entries, profiles, policy, families, at }: DomainsToCollect,
  previous: EntryLists,
  { bogons, reach, signal, withinMs = WITHIN_MS }: DomainCollectOptions,
  progress: (done: number, total: number) => void,
): Promise<DomainCollection> {
  const {
    strategy = RESOLVER_DEFAULTS.strategy,
    quorum = Math.floor(profiles.length / 2) + 1,
    families: asked = families,
    retain_seconds: retainSeconds = RESOLVER_DEFAULTS.retain_seconds,
    max_addresses: maxAddresses = RESOLVER_DEFAULTS.max_addresses,
    concurrency = RESOLVER_DEFAULTS.concurrency,
  } = policy;
  const rules = { at, retainSeconds, maxAddresses, bogons };
  const resolvers = profiles.map((profile) => resolverOf(profile, reach));
  const shared = inTurns(resolvers, concurrency);
  const lists = new Map<string, RowsOfLabel>();
  const addresses = new Map<string, readonly DomainAddress[]>();
  const answers = new Map<string, DomainAnswers>();
  const outcomes = new Map<string, EntryOutcome>();
  const waiting = entries.values();
  const end = performance.now() + withinMs;
  let room = MAX_ADDRESSES;
  const ask = async (domain: string): Promise<DomainAnswers> => {
    const asking = asked.map((family) => resolveDomain(domain, family, shared, { strategy, quorum }, signal));
    return new Map((await Promise.all(asking)).map((answer, index) => [asked[index]!, answer]));
  };
  const resolveNext = async (): Promise<void> => {
    for (const entry of waiting) {
      const answered = performance.now() < end ? await ask(entry.domain) : null;
      let settled = answered === null ? unsettled(entry, tooLate(withinMs)) : settle(entry, answered, rules);
      if ((settled.addresses?.length ?? 0) > room) settled = unsettled(entry, tooMany());
      const rows = settled.rows ?? previous.get(entry.id);
      if (settled.addresses !== null) {
        room -= settled.addresses.length;
        addresses.set(entry.id, settled.addresses);
        answers.set(entry.id, answered!);
      }
      outcomes.set(entry.id, finish(settled.outcome, addList(rows, entry.id, lists)));
      progress(outcomes.size, entries.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, resolveNext));
  } finally {
    for (const resolver of resolvers) resolver.close();
  }
  return { lists, addresses, answers, rules, outcomes: entries.map(({ id }) => outcomes.get(id)!) };
}

/**
 * The same answers on top of what entries hold since another refresh of the module has ended: what that has seen stays for as long as what
 * we have. The lists are those of entries that were answered for, and nobody has disabled or deleted meanwhile; the others keep what
 * they have now.
 */
function resettle(
  { outcomes, answers, rules }: DomainCollection,
  held: readonly DomainToCollect[],
): DomainCollection {
  const lists = new Map<string, RowsOfLabel>();
  const addresses = new Map<string, readonly DomainAddress[]>();
  const entries = new Map(held.map((entry) => [entry.id, entry]));
  const resettled = outcomes.map((outcome): EntryOutcome => {
    const { id, questionVersion } = outcome;
    const [entry, answered] = [entries.get(id), answers.get(id)];
    if (entry === undefined || answered === undefined) return { ...outcome, modified: false };
    const settled = settle({ ...entry, questionVersion }, answered, rules);
    addresses.set(id, settled.addresses!);
    return finish(settled.outcome, addList(settled.rows!, id, lists));
  });
  return { lists, addresses, answers, rules, outcomes: resettled };
}

/** Limits the concurrent questions to all resolvers together. */
function inTurns(resolvers: readonly Resolver[], concurrency: number): Resolver[] {
  const turns = new Semaphore(concurrency);
  return resolvers.map((resolver) => ({
    lookUp: (...question) =>
      turns.run(() => {
        question[2]?.throwIfAborted();
        return resolver.lookUp(...question);
      }),
  }));
}

type Unfinished = Omit<EntryOutcome, 'status' | 'prefixCount'> & {
  /** Whether something stays only because no resolver that might know has answered. */
  readonly isStale: boolean;
};

interface Settled {
  readonly outcome: Unfinished;
  /** Null: nothing was answered. */
  readonly addresses: readonly DomainAddress[] | null;
  readonly rows: RowsOfLabel | null;
}

function settle(entry: DomainToCollect, answers: DomainAnswers, rules: AddressRules): Settled {
  const all = [...answers.values()];
  const fault = all.map(faultOf).find((error) => error !== null) ?? null;
  if (fault !== null && all.every(({ kind }) => kind === 'failed')) return unsettled(entry, fault);
  const { addresses, excess, isStale } = mergeAddresses(entry.addresses, answers, rules);
  const empty = emptyText(all, addresses);
  const outcome: Unfinished = {
    ...{ id: entry.id, questionVersion: entry.questionVersion, etag: null, lastModified: null },
    ...{ modified: true, rejected: excess, rejects: [], isStale },
    error: fault === null ? empty : errorText(fault),
    bogons: addresses.filter(({ dropped }) => dropped !== null).length,
    ...(fault === null && empty !== null ? leavingOf(addresses, rules) : {}),
  };
  return { outcome, addresses, rows: prefixesOf(addresses) };
}

/** When the first of the addresses goes that nothing but the retention keeps. */
function leavingOf(
  addresses: readonly DomainAddress[],
  { retainSeconds }: AddressRules,
): Pick<EntryOutcome, 'leavesAt'> {
  const counted = addresses.filter(({ dropped }) => dropped === null);
  if (counted.length === 0) return {};
  const first = Math.min(...counted.map(({ last_seen_at: seen }) => Date.parse(seen)));
  return { leavesAt: new Date(first + retainSeconds * 1_000).toISOString() };
}

/** Of an entry that stays as it was. */
function unsettled({ id, questionVersion }: DomainToCollect, fault: SourceError): Settled {
  const outcome: Unfinished = {
    ...{ id, questionVersion, etag: null, lastModified: null },
    ...{ modified: false, ...NOTHING_DROPPED, isStale: true },
    error: errorText(fault),
  };
  return { outcome, addresses: null, rows: null };
}

function tooLate(withinMs: number): SourceError {
  return new SourceError(
    'source_timeout',
    `The domains of the module were not all resolved within ${withinMs / 1000} s, and this one was not asked for. Use faster resolvers, a shorter timeout_ms or more concurrency, or split the module.`,
  );
}

function tooMany(): SourceError {
  return new SourceError(
    'source_too_large',
    `The domains of the module have more than ${MAX_ADDRESSES} addresses together. Lower max_addresses or retain_seconds in doh_resolver_policy, or split the module.`,
  );
}

/** Why a name that was answered for has no address, which is no fault of resolvers: it may be misspelt, or have ended. Null: it has one. */
function emptyText(answers: readonly DomainAnswer[], held: readonly DomainAddress[]): string | null {
  const answered = answers.flatMap((one) => (one.kind === 'answered' ? [one] : []));
  if (answered.some(({ addresses }) => addresses.length > 0)) return null;
  const kept =
    held.length === 0 ? '' : ' Its earlier addresses stay for retain_seconds after they were last seen.';
  return answered.some(({ isMissing }) => isMissing)
    ? `NXDOMAIN: there is no such name. Check how it is written.${kept}`
    : `The name exists, and has no address of the families that are asked for.${kept}`;
}

function faultOf(answer: DomainAnswer): SourceError | null {
  return answer.kind === 'failed' ? answer.error : answer.failure;
}

function finish(
  { isStale, ...outcome }: Unfinished,
  prefixCount: Readonly<Record<Family, number>>,
): EntryOutcome {
  const hasPrefixes = prefixCount.ipv4 + prefixCount.ipv6 > 0;
  const status = !isStale ? 'ok' : outcome.modified || hasPrefixes ? 'stale' : 'failed';
  return { ...outcome, status, prefixCount };
}

function errorText({ code, message }: SourceError): string {
  return `${code}: ${message}`;
}
