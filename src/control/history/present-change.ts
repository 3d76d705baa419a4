import type { HistoryContributor, HistoryItem, HistoryRoute } from '../../api/lookup/history.ts';
import type { Prefix } from '../../core/prefix.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findLookupEntries } from '../../store/lookup/lookup.ts';
import { listPastUrls, urlAt } from '../../store/lookup/past-urls.ts';
import { findModuleNames } from '../../store/modules/modules.ts';
import type { PastRevision } from '../../store/revisions/history.ts';
import { type Contribution, type Rows, areSameRoutes } from './past-state.ts';

/** What an item lists; the rest is counted. */
const MOST_ROUTES = 50;
const MOST_CONTRIBUTORS = 50;
const MOST_PREFIXES = 10;

/** A revision after which something is otherwise around a prefix. */
export interface PastChange {
  readonly revision: PastRevision;
  readonly previous: PastRevision | null;
  /** The number of the next newer revision that changed something; null: there is none. */
  readonly below: number | null;
  readonly routes: readonly [before: Rows, after: Rows];
  /** Who contributes before, and who after. */
  readonly earlier: ReadonlyMap<string, Contribution>;
  readonly later: ReadonlyMap<string, Contribution>;
}

export function changeBetween(
  { revision, previous, routes: [before, after] }: PastChange,
  around: Prefix,
): Pick<HistoryItem, 'change' | 'announced' | 'routes' | 'route_count' | 'routes_before'> {
  return {
    change: kindOf(before, after),
    announced: announcedOf(after, around),
    routes: presentRoutes(after, revision, around),
    route_count: after.size,
    routes_before: previous === null ? [] : presentRoutes(before, previous, around),
  };
}

function kindOf(before: Rows, after: Rows): HistoryItem['change'] {
  if (areSameRoutes(before, after)) return 'contributed';
  if (before.size === 0) return 'announced';
  return after.size === 0 ? 'withdrawn' : 'changed';
}

function announcedOf(routes: Rows, { length }: Prefix): HistoryItem['announced'] {
  if (routes.size === 0) return 'none';
  return Array.from(routes.values()).some(({ prefix }) => prefix.length <= length) ? 'whole' : 'part';
}

/** Those around the prefix come first, the longest at the top; then those inside it, as they come by address. */
function presentRoutes(routes: Rows, { communities }: PastRevision, { length }: Prefix): HistoryRoute[] {
  const known = new Map(
    communities.map(({ prefix_count: _, ...community }) => [community.community, community]),
  );
  const all = [...routes].map(([text, row]) => ({ text, row }));
  const isAround = ({ row }: (typeof all)[number]): boolean => row.prefix.length <= length;
  const around = all.filter(isAround).sort((a, b) => b.row.prefix.length - a.row.prefix.length);
  const inside = all
    .filter((one) => !isAround(one))
    .sort((a, b) => comparePrefixes(a.row.prefix, b.row.prefix));
  return [...around, ...inside].slice(0, MOST_ROUTES).map(({ text, row }) => ({
    prefix: text,
    communities: row.labels.flatMap((label) => known.get(label) ?? []),
  }));
}

function comparePrefixes(a: Prefix, b: Prefix): number {
  const differing = a.words.findIndex((word, place) => word !== b.words[place]);
  return differing < 0 ? a.length - b.length : a.words[differing]! - b.words[differing]!;
}

interface Share {
  readonly contribution: Contribution;
  readonly before: string[];
  readonly after: string[];
}

/** Of each change who contributes, by entry. */
export async function presentContributors(
  tx: TenantTx,
  changes: readonly PastChange[],
): Promise<Pick<HistoryItem, 'contributors' | 'contributor_count'>[]> {
  const shares = changes.map(sharesOf);
  const shown = shares.map((some) => some.slice(0, MOST_CONTRIBUTORS));
  const ids = new Set(shown.flatMap((some) => some.map(({ contribution }) => contribution.entry_id)));
  const entries = await findLookupEntries(tx, [...ids]);
  const urls = await listPastUrls(tx, [...entries.keys()]);
  const names = await findModuleNames(
    tx,
    shown.flatMap((some) => some.map(({ contribution }) => contribution.module_id)),
  );
  return shown.map((some, place) => ({
    contributors: some.map(({ contribution, before, after }): HistoryContributor => {
      const { module_id: id, entry_id: entryId, purpose } = contribution;
      const prefixes = after.length === 0 ? before : after;
      const entry = entries.get(entryId);
      const { created_at: at } = changes[place]!.revision;
      // One that was taken out is called what it was before that.
      const then = after.length === 0 ? (changes[place]!.previous?.created_at ?? at) : at;
      const valueThen = urlAt(urls, entryId, then) ?? entry?.value;
      return {
        module: { id, name: names.get(id) ?? null },
        purpose,
        entry: { id: entryId, type: entry?.kind ?? null, value: valueThen ?? null },
        change: changeOf(before, after),
        prefixes: prefixes.slice(0, MOST_PREFIXES),
        prefix_count: prefixes.length,
      };
    }),
    contributor_count: shares[place]!.length,
  }));
}

/** By module, purpose and entry; those that changed first. */
function sharesOf({ earlier, later }: PastChange): Share[] {
  const shares = new Map<string, Share>();
  const add = (contribution: Contribution, side: 'before' | 'after'): void => {
    const { module_id: id, purpose, entry_id: entryId, prefix } = contribution;
    const name = `${id} ${purpose} ${entryId}`;
    const share = shares.get(name) ?? { contribution, before: [], after: [] };
    shares.set(name, share);
    share[side].push(prefix);
  };
  for (const contribution of earlier.values()) add(contribution, 'before');
  for (const contribution of later.values()) add(contribution, 'after');
  const rank = ({ before, after }: Share): number => (changeOf(before, after) === 'kept' ? 1 : 0);
  return Array.from(shares)
    .sort(([name, one], [other, two]) => rank(one) - rank(two) || (name < other ? -1 : 1))
    .map(([, share]) => share);
}

function changeOf(before: readonly string[], after: readonly string[]): HistoryContributor['change'] {
  if (before.length === 0) return 'added';
  if (after.length === 0) return 'removed';
  return [...before].sort().join() === [...after].sort().join() ? 'kept' : 'changed';
}
