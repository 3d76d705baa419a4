/** What a feed has: its sets at one revision, fitted where that is asked for, as text. Pure, and done in a thread where it is much. */
import { counted } from '../../api/shapes/counted.ts';
import { hash } from 'node:crypto';
import type { FeedFormat } from '../../api/feeds/feeds.ts';
import type { NamedFitted } from '../../api/speakers/fitted.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { percentRoundedUp } from '../../core/percent.ts';
import { CannotFit, fitSet } from '../../core/sets/fit.ts';
import { type PrefixSet, coveredAddresses, setOfRows, union } from '../../core/sets/prefix-set.ts';
import { LargestAdded } from '../../core/fitting/added-prefixes.ts';
import { type ForbiddenAddresses, forbiddenOf } from '../../core/fitting/forbidden-addresses.ts';
import { decodeStoredTable } from '../../core/stored/stored-table.ts';
import { type ListChange, writeFeedDifference } from './feed-difference-text.ts';
import { prefixesOf, writeFeed } from './feed-text.ts';
import { type RuleSources, ruleSets } from './rule-sets.ts';

/** As of the covers of peers (core/fitting/fit-table.ts). */
const PERCENT_DIGITS = 4;

/** Characters of 6 bits. */
const TAG_LENGTH = 22;

export interface FeedTask {
  readonly kind: 'feed';
  readonly sources: RuleSources;
  /** All of the revision, whatever the sources say. */
  readonly isWhole: boolean;
  readonly name: string;
  /** Of the revision. */
  readonly number: number;
  readonly families: readonly Family[];
  readonly format: FeedFormat;
  /** Of each family; null: no limit. */
  readonly maximum: number | null;
  /** Null: more than the maximum is a failure. */
  readonly fit: FitRules | null;
  /** Only what changed since this content, of the same families and format; null: all of it. */
  readonly since: FeedTask | null;
}

export interface FitRules extends ForbiddenAddresses {
  readonly maxAddedPercent: number;
  /** Nor what the revision has beside what the feed has: other lists. */
  readonly avoidsOthers: boolean;
}

export type FeedAnswer =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Says which bytes: made here, since a million prefixes take tens of milliseconds to hash. */
      readonly tag: string;
      readonly prefixCount: PrefixCount;
      readonly fitted: Readonly<Record<Family, NamedFitted | null>>;
    }
  | { readonly ok: false; readonly reason: string };

export function makeFeed(task: FeedTask): FeedAnswer {
  const { name, number, format, since } = task;
  const made = contentOf(task);
  if (!made.ok) return made;
  const { sets, prefixCount, fitted } = made;
  if (since === null) return { ...tagged(writeFeed({ name, number, format, sets })), prefixCount, fitted };
  const before = contentOf(since);
  if (!before.ok) return before;
  const changes = sets.map((set, index) => changeOf(before.sets[index]!, set));
  const text = writeFeedDifference({ name, number, since: since.number, format: since.format, changes });
  return { ...tagged(new TextEncoder().encode(text)), prefixCount, fitted };
}

function tagged(bytes: Uint8Array<ArrayBuffer>) {
  return { ok: true, bytes, tag: hash('sha256', bytes, 'base64url').slice(0, TAG_LENGTH) } as const;
}

/** Prefix by prefix, since that is what lists have: addresses that stay may be written in another way. */
function changeOf(before: PrefixSet, after: PrefixSet): ListChange {
  const [was, is] = [prefixesOf(before), prefixesOf(after)];
  const [known, wanted] = [new Set(was), new Set(is)];
  return {
    family: after.family,
    added: is.filter((prefix) => !known.has(prefix)),
    removed: was.filter((prefix) => !wanted.has(prefix)),
  };
}

type FeedSets =
  | (Omit<FeedAnswer & { ok: true }, 'bytes' | 'tag'> & { readonly sets: readonly PrefixSet[] })
  | { readonly ok: false; readonly reason: string };

/** The sets of its families, IPv4 first. */
function contentOf(task: Omit<FeedTask, 'since'>): FeedSets {
  const { sources, isWhole } = task;
  const { revision } = sources;
  const whole = isWhole && revision !== null ? decodeStoredTable(revision) : null;
  const others = (family: Family): PrefixSet | null =>
    isWhole || revision === null ? null : setOfRows(decodeStoredTable(revision)[family]);
  const drawn = isWhole ? null : ruleSets({ kind: 'rule_sets', sources });
  const sets: PrefixSet[] = [];
  const prefixCount = { ipv4: 0, ipv6: 0 };
  const fitted: Record<Family, NamedFitted | null> = { ipv4: null, ipv6: null };
  for (const family of FAMILIES) {
    if (!task.families.includes(family)) continue;
    const set = whole === null ? drawn![family].set : setOfRows(whole[family]);
    const limited = limit(set, task, others);
    if (typeof limited === 'string') return { ok: false, reason: limited };
    sets.push(limited.set);
    prefixCount[family] = limited.set.size;
    fitted[family] = limited.fitted;
  }
  return { ok: true, sets, prefixCount, fitted };
}

/** @param others what the revision has of a family, where that is more than the feed has */
function limit(
  set: PrefixSet,
  { maximum, fit }: Pick<FeedTask, 'maximum' | 'fit'>,
  others: (family: Family) => PrefixSet | null,
): { readonly set: PrefixSet; readonly fitted: NamedFitted | null } | string {
  if (maximum === null || set.size <= maximum) return { set, fitted: null };
  const family = set.family === 'ipv4' ? 'IPv4' : 'IPv6';
  const many = `The feed would have ${counted(set.size, `${family} prefix`)}, and max_prefixes is ${maximum}.`;
  if (fit === null) return `${many} Raise max_prefixes, or set when_too_many to fit.`;
  try {
    const forbidden = forbiddenOf(set.family, fit);
    const listed = fit.avoidsOthers ? others(set.family) : null;
    const made = fitSet(set, maximum, undefined, listed === null ? forbidden : union(forbidden, listed));
    const share = percentRoundedUp(made.overCoverage, coveredAddresses(set), PERCENT_DIGITS);
    if (share > fit.maxAddedPercent)
      return `${many} Fitting it would add ${made.overCoverage} foreign address${made.overCoverage === 1n ? '' : 'es'}, ${share} % of its own, and the setting fit_max_added_percent is ${fit.maxAddedPercent}. Raise one of them, or let the feed have less.`;
    const beside = new LargestAdded();
    beside.add(set, made.set);
    const fitted = {
      added_addresses: String(made.overCoverage),
      added_percent: share,
      optimal: made.optimal,
      added_prefixes: beside.prefixes,
    };
    return { set: made.set, fitted };
  } catch (error) {
    if (!(error instanceof CannotFit)) throw error;
    return `${many} It cannot be fitted without covering protected, excluded or special-purpose addresses, or those of other lists. Raise max_prefixes, or let the feed have less.`;
  }
}
