/** What lies around an address, or around and inside a prefix: in ranges, in what was collected, and in tables of routes. */
import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import { type Address, bitsOf, formatAddress } from '../../core/address.ts';
import { matchesOf, matchesOfPrefix } from '../../core/tables/lookup.ts';
import type { PrefixRows } from '../../core/tables/prefix-table.ts';
import { formatPrefix, formatPrefixAt } from '../../core/prefix.ts';
import { rowsInside } from '../../core/tables/rows-around.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  findLookupEntries,
  findRangesAround,
  findRangesInside,
  type LookupEntry,
  type LookupRange,
} from '../../store/lookup/lookup.ts';
import { listPastUrls, urlAt } from '../../store/lookup/past-urls.ts';
import { findRemovedEntries } from '../../store/lookup/removed-entries.ts';
import type { Collected } from './collected-lists.ts';
import type { HeldEntries, LookupState } from './lookup-state.ts';
import { type Holder, holderOf } from './not-announced.ts';
import type { Place } from './read-query.ts';

/** The most prefixes of a layer, and routes of a revision, that are listed of what lies inside a prefix. */
const MAXIMUM_INSIDE = 100;

/** What lies around an address, or around and inside a prefix. */
export interface Around {
  readonly ranges: readonly LookupRange[];
  readonly collected: readonly Collected[];
  /** At least those that were collected from. */
  readonly entries: ReadonlyMap<string, LookupEntry>;
  /** More lies inside the prefix. */
  readonly isCut: boolean;
}

/** What was found; `isCut`: more lies inside the prefix. */
interface Found<T> {
  readonly found: T[];
  readonly isCut: boolean;
}

export async function findAround(tx: TenantTx, state: LookupState, place: Place): Promise<Around> {
  if (state.held !== null) return aroundIn(state, state.held, place);
  const { found: collected, isCut } = collectedAround(state, place);
  const ids = collected.flatMap(({ labelSet }) => state.collected.originOf(labelSet).entryIds);
  const entries = await findLookupEntries(tx, [...new Set(ids)]);
  const { pastAt } = state;
  if (pastAt !== null) {
    const all = new Map([...entries, ...(await findGone(tx, state, collected, entries))]);
    const urls = await listPastUrls(tx, [...all.keys()]);
    const asOfThen = counted(state, all).map(([id, entry]): [string, LookupEntry] => [
      id,
      // When it was last read says nothing of the revision.
      { ...entry, value: urlAt(urls, id, pastAt) ?? entry.value, last_refreshed_at: null },
    ]);
    return { ranges: [], collected, entries: new Map(asOfThen), isCut };
  }
  const ranges = await rangesAround(tx, place);
  return { ranges: ranges.found, collected, entries, isCut: isCut || ranges.isCut };
}

export function aroundIn(state: LookupState, held: HeldEntries, place: Place): Around {
  const { found: ranges, isCut } = heldRangesAround(held, place);
  const collected = collectedAround(state, place);
  return { ranges, collected: collected.found, entries: held.byId, isCut: isCut || collected.isCut };
}

/** What was collected from entries that have been removed since: a revision may keep it all the same. */
function findGone(
  tx: TenantTx,
  state: LookupState,
  collected: readonly Collected[],
  known: ReadonlyMap<string, LookupEntry>,
): Promise<ReadonlyMap<string, LookupEntry>> {
  const gone = collected.flatMap(({ labelSet }) => {
    const { moduleId, entryIds } = state.collected.originOf(labelSet);
    return entryIds.filter((id) => !known.has(id)).map((id) => ({ id, moduleId }));
  });
  return findRemovedEntries(
    tx,
    [...new Set(gone.map(({ moduleId }) => moduleId))],
    [...new Set(gone.map(({ id }) => id))],
  );
}

/** Those that counted. */
function counted(
  { leftOut }: LookupState,
  entries: ReadonlyMap<string, LookupEntry>,
): (readonly [string, LookupEntry])[] {
  return [...entries].filter(([id]) => !leftOut.has(id));
}

async function rangesAround(tx: TenantTx, place: Place): Promise<Found<LookupRange>> {
  if (place.kind === 'ip') {
    const { address } = place;
    const found = await findRangesAround(tx, formatAddress(address), bitsOf(address.family));
    return { found, isCut: false };
  }
  const { prefix } = place;
  const around = await findRangesAround(tx, formatAddress(prefix), prefix.length);
  const inside = await findRangesInside(tx, formatPrefix(prefix), MAXIMUM_INSIDE + 1);
  return { found: [...around, ...inside.slice(0, MAXIMUM_INSIDE)], isCut: inside.length > MAXIMUM_INSIDE };
}

function collectedAround({ collected }: LookupState, place: Place): Found<Collected> {
  if (place.kind === 'ip') return { found: collected.find(place.address), isCut: false };
  return collected.findInPrefix(place.prefix, MAXIMUM_INSIDE);
}

function heldRangesAround({ ranges, byId }: HeldEntries, place: Place): Found<LookupRange> {
  const rows = ranges[place.kind === 'ip' ? place.address.family : place.prefix.family];
  const { found: indices, isCut } = finderOf(place)(rows);
  const found = indices.flatMap((row) =>
    ranges.labelSets[rows.labels[row]!]!.map((id) => {
      const { module_id, community_ids, expires_at, enabled } = byId.get(id)!;
      return { id, module_id, community_ids, expires_at, enabled, cidr: formatPrefixAt(rows, row) };
    }),
  );
  found.sort((a, b) => (a.module_id < b.module_id ? -1 : a.module_id > b.module_id ? 1 : 0));
  return { found, isCut };
}

export function holdersOf(state: LookupState, { ranges, collected, entries }: Around): Holder[] {
  const holders: Holder[] = [];
  for (const { module_id: moduleId, id, cidr, enabled } of ranges) {
    const module = state.modules.get(moduleId);
    if (module !== undefined) holders.push(holderOf(module, id, 'ip_range_entry', { value: cidr, enabled }));
  }
  for (const { labelSet } of collected) {
    const { moduleId, entryIds } = state.collected.originOf(labelSet);
    const module = state.modules.get(moduleId)!;
    for (const id of entryIds) {
      const entry = entries.get(id);
      if (entry !== undefined) holders.push(holderOf(module, id, ENTRY_KINDS[module.type].entry, entry));
    }
  }
  return holders;
}

/** The rows of a table that are asked for, by index. */
export type Finder = (rows: PrefixRows) => Found<number>;

export function finderOf(place: Place): Finder {
  if (place.kind === 'ip') return (rows) => ({ found: matchesOf(rows, place.address), isCut: false });
  const { prefix } = place;
  return (rows) => {
    const inside = rowsInside(rows, prefix, MAXIMUM_INSIDE + 1);
    const found = [...matchesOfPrefix(rows, prefix), ...inside.slice(0, MAXIMUM_INSIDE)];
    return { found, isCut: inside.length > MAXIMUM_INSIDE };
  };
}

/** The rows around any of them. */
export function addressFinder(addresses: readonly Address[]): Finder {
  return (rows) => {
    const found = new Set(addresses.flatMap((address) => matchesOf(rows, address)));
    return { found: [...found], isCut: false };
  };
}
