import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import type { LookupMatch } from '../../api/lookup/lookup.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { type Address, FAMILIES, bitsOf, formatAddress, parseAddress } from '../../core/address.ts';
import { parseFqdn } from '../../core/fqdn.ts';
import { matchesOf, matchesOfPrefix } from '../../core/tables/lookup.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefix, formatPrefixAt, parsePrefix, type Prefix } from '../../core/prefix.ts';
import { rowsInside } from '../../core/tables/rows-around.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  findDomainsNamed,
  findLookupEntries,
  findRangesAround,
  findRangesInside,
  type LiveRevision,
  type LookupEntry,
  type LookupRange,
} from '../../store/lookup/lookup.ts';
import { findRemovedEntries } from '../../store/lookup/removed-entries.ts';
import type { Collected } from './collected-lists.ts';
import type { HeldEntries, LiveRoutes, LookupState } from './lookup-state.ts';
import { readLookupState } from './read-lookup-state.ts';
import {
  announcedFrame,
  answerText,
  carried,
  collectedFrame,
  fill,
  moduleReference,
  rangeText,
} from './lookup-text.ts';
import { type Holder, holderOf, nameNotAnnounced, notAnnounced } from './not-announced.ts';
import { tableCache } from '../tables/table-cache.ts';

/** Addresses of a name for which the answer says why they are not announced. */
const MAXIMUM_ADDRESSES = 16;

/** The most prefixes of a layer, and routes of a revision, that are listed of what lies inside a prefix. */
const MAXIMUM_INSIDE = 100;

/** What is looked up. */
export type Asked =
  | { readonly kind: 'ip'; readonly address: Address }
  | { readonly kind: 'prefix'; readonly prefix: Prefix }
  | { readonly kind: 'fqdn'; readonly name: string };

/**
 * Which lists hold the address, the prefix or the domain name, and what is announced of it, as the JSON text of a `Lookup`. Nothing is
 * resolved or fetched. The database says which contents are current; only what never changes, their decoded tables, is kept between requests.
 * @throws {Problem} `validation_failed` for what is neither
 */
export async function lookup(tx: TenantTx, query: string): Promise<string> {
  const asked = readQuery(query, '?q');
  return lookupAmong(tx, await readLookupState(tx), query, asked);
}

/** The answer of {@link lookup} where the state is known. */
export async function lookupAmong(
  tx: TenantTx,
  state: LookupState,
  query: string,
  asked: Asked,
): Promise<string> {
  if (asked.kind === 'fqdn') return lookupName(tx, state, query, asked.name);
  const quick = lookupQuickly(state, query, asked);
  if (quick !== null) return quick;
  return answerAround(state, query, asked, await findAround(tx, state, asked));
}

async function lookupName(tx: TenantTx, state: LookupState, query: string, name: string): Promise<string> {
  const { matches: all, holders: named } = await matchDomain(tx, state, name);
  const matches = state.isPast ? all.flatMap((match) => pastMatch(state, match)) : all;
  const addresses = addressesOf(matches);
  const { texts: announced } = announcedOf(state, addressFinder(addresses));
  const texts = matches.map((match) => JSON.stringify(match));
  // What holds for the name is repeated for each address.
  const reasons = addresses.length === 0 && !state.isPast ? nameNotAnnounced(named) : [];
  for (const address of state.isPast ? [] : addresses.slice(0, MAXIMUM_ADDRESSES)) {
    const around = await findAround(tx, state, { kind: 'ip', address });
    const { revisions } = announcedOf(state, addressFinder([address]));
    reasons.push(...notAnnounced(state, address, revisions, () => holdersOf(state, around)));
  }
  return answerText({ query, kind: 'fqdn', normalized: name }, texts, announced, reasons);
}

/** What was collected then, without when it was collected last. */
function pastMatch({ leftOut }: LookupState, match: LookupMatch): LookupMatch[] {
  if (match.layer === 'entry' || leftOut.has(match.entry.id)) return [];
  return [{ ...match, collected_at: null }];
}

/** An address, or a prefix. */
type Place = Exclude<Asked, { readonly kind: 'fqdn' }>;

async function findAround(tx: TenantTx, state: LookupState, place: Place): Promise<Around> {
  if (state.held !== null) return aroundIn(state, state.held, place);
  const { found: collected, isCut } = collectedAround(state, place);
  const ids = collected.flatMap(({ labelSet }) => state.collected.originOf(labelSet).entryIds);
  const entries = await findLookupEntries(tx, [...new Set(ids)]);
  if (state.isPast) {
    const all = new Map([...entries, ...(await findGone(tx, state, collected, entries))]);
    return { ranges: [], collected, entries: asOfThen(state, all), isCut };
  }
  const ranges = await rangesAround(tx, place);
  return { ranges: ranges.found, collected, entries, isCut: isCut || ranges.isCut };
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

/** Those that counted. When they were last read says nothing of the revision. */
function asOfThen(
  { leftOut }: LookupState,
  entries: ReadonlyMap<string, LookupEntry>,
): ReadonlyMap<string, LookupEntry> {
  const counted = [...entries].filter(([id]) => !leftOut.has(id));
  return new Map(counted.map(([id, entry]) => [id, { ...entry, last_refreshed_at: null }]));
}

function aroundIn(state: LookupState, held: HeldEntries, place: Place): Around {
  const { found: ranges, isCut } = heldRangesAround(held, place);
  const collected = collectedAround(state, place);
  return { ranges, collected: collected.found, entries: held.byId, isCut: isCut || collected.isCut };
}

/** What was found; `isCut`: more lies inside the prefix. */
interface Found<T> {
  readonly found: T[];
  readonly isCut: boolean;
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

/**
 * The same without the database, where the state holds all that it takes; null where it does not.
 * @throws {Problem} as {@link lookup}
 */
export function lookupIn(state: LookupState, query: string): string | null {
  const asked = readQuery(query, '?q');
  return asked.kind === 'fqdn' ? null : lookupQuickly(state, query, asked);
}

/**
 * The same with the database, where the state does not hold all that it takes: it is not read again. Null for a domain name.
 * @param inTenant a transaction in the tenant
 * @throws {Problem} as {@link lookup}
 */
export async function lookupPlace(
  state: LookupState,
  query: string,
  inTenant: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>,
): Promise<string | null> {
  const asked = readQuery(query, '?q');
  if (asked.kind === 'fqdn') return null;
  return (
    lookupQuickly(state, query, asked) ??
    answerAround(state, query, asked, await inTenant((tx) => findAround(tx, state, asked)))
  );
}

/** {@link lookupIn} for an address that was read out of `query`. */
export function lookupAddress(state: LookupState, query: string, address: Address): string | null {
  return lookupQuickly(state, query, { kind: 'ip', address });
}

function lookupQuickly(state: LookupState, query: string, place: Place): string | null {
  return state.held === null ? null : answerAround(state, query, place, aroundIn(state, state.held, place));
}

/** @param pointer where the query stands in the request. @throws {Problem} `validation_failed` for what is nothing to look up */
export function readQuery(query: string, pointer: string): Asked {
  const text = query.trim();
  const address = parseAddress(text);
  if (address.ok) return { kind: 'ip', address: address.value };
  const prefix = parsePrefix(text);
  if (prefix.ok) return { kind: 'prefix', prefix: prefix.value };
  const name = parseFqdn(text);
  if (name.ok) return { kind: 'fqdn', name: name.value };
  const looksLikeAddress = /^[0-9.]+(?:\/|$)|:/.test(text);
  const reason = text.includes('/') ? prefix.reason : looksLikeAddress ? address.reason : name.reason;
  throw fieldProblem(pointer, `Neither an address or a prefix nor a domain name. ${reason}.`);
}

/** What lies around an address, or around and inside a prefix. */
interface Around {
  readonly ranges: readonly LookupRange[];
  readonly collected: readonly Collected[];
  /** At least those that were collected from. */
  readonly entries: ReadonlyMap<string, LookupEntry>;
  /** More lies inside the prefix. */
  readonly isCut: boolean;
}

/** The layer of entries first, then that of snapshots; by module, and in it the longest prefix first. */
function answerAround(state: LookupState, query: string, place: Place, around: Around): string {
  const matches: string[] = [];
  for (const range of around.ranges) {
    const module = state.modules.get(range.module_id);
    // One that is missing was made while the state was read.
    if (module !== undefined) matches.push(rangeText(state, module, range));
  }
  for (const collected of around.collected) pushCollected(matches, state, collected, around.entries);
  const { texts, revisions, isCut } = announcedOf(state, finderOf(place));
  const [address, normalized] =
    place.kind === 'ip'
      ? [place.address, formatAddress(place.address)]
      : [place.prefix, formatPrefix(place.prefix)];
  const reasons = state.isPast ? [] : notAnnounced(state, address, revisions, () => holdersOf(state, around));
  const { kind } = place;
  const hasMore = kind === 'ip' ? null : isCut || around.isCut;
  return answerText({ query, kind, normalized }, matches, texts, reasons, hasMore);
}

function holdersOf(state: LookupState, { ranges, collected, entries }: Around): Holder[] {
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

function pushCollected(
  matches: string[],
  state: LookupState,
  { labelSet, prefix }: Collected,
  entries: Around['entries'],
): void {
  let frames = state.frames.get(labelSet);
  if (frames === undefined) {
    const { moduleId, entryIds } = state.collected.originOf(labelSet);
    const module = state.modules.get(moduleId)!;
    // What was collected from an entry that was deleted since is there until the next refresh, and announced no more.
    frames = entryIds.flatMap((id) => {
      const entry = entries.get(id);
      return entry === undefined ? [] : [collectedFrame(state, module, entry)];
    });
    state.frames.set(labelSet, frames);
  }
  for (const frame of frames) matches.push(fill(frame, prefix));
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

/** The rows of a table that are asked for, by index. */
type Finder = (rows: PrefixRows) => Found<number>;

function finderOf(place: Place): Finder {
  if (place.kind === 'ip') return (rows) => ({ found: matchesOf(rows, place.address), isCut: false });
  const { prefix } = place;
  return (rows) => {
    const inside = rowsInside(rows, prefix, MAXIMUM_INSIDE + 1);
    const found = [...matchesOfPrefix(rows, prefix), ...inside.slice(0, MAXIMUM_INSIDE)];
    return { found, isCut: inside.length > MAXIMUM_INSIDE };
  };
}

/** The rows around any of them. */
function addressFinder(addresses: readonly Address[]): Finder {
  return (rows) => {
    const found = new Set(addresses.flatMap((address) => matchesOf(rows, address)));
    return { found: [...found], isCut: false };
  };
}

/** The entries of this name, then the prefixes that the snapshots of their modules hold of them. */
async function matchDomain(
  tx: TenantTx,
  { modules, communitiesOf }: LookupState,
  domain: string,
): Promise<{ matches: LookupMatch[]; holders: Holder[] }> {
  const inEntries: LookupMatch[] = [];
  const inSnapshots: LookupMatch[] = [];
  const holders: Holder[] = [];
  for (const entry of await findDomainsNamed(tx, domain)) {
    const module = modules.get(entry.module_id);
    if (module === undefined) continue;
    const { id, domain: value, expires_at } = entry;
    const match = {
      module: moduleReference(module),
      entry: { id, type: 'domain_entry' as const, value, expires_at },
      source: 'domain' as const,
      ...carried(communitiesOf(module, entry)),
    };
    holders.push(holderOf(module, entry.id, 'domain_entry', { value: entry.domain, enabled: entry.enabled }));
    inEntries.push({ ...match, layer: 'entry', domain, collected_at: null });
    if (module.content_hash === null) continue;
    const table = await tableCache.load(tx, module.content_hash);
    const collected_at = entry.last_refreshed_at ?? module.collected_at;
    for (const prefix of prefixesLabelled(table, entry.id))
      inSnapshots.push({ ...match, layer: 'snapshot', prefix, collected_at });
  }
  return { matches: [...inEntries, ...inSnapshots], holders };
}

function prefixesLabelled(table: PrefixTable, label: string): string[] {
  const hasLabel = table.labelSets.map((labels) => labels.includes(label));
  return FAMILIES.flatMap((family) => {
    const rows = table[family];
    const prefixes: string[] = [];
    for (let row = 0; row < rows.size; row++)
      if (hasLabel[rows.labels[row]!] === true) prefixes.push(formatPrefixAt(rows, row));
    return prefixes;
  });
}

/** What was collected of a name are host prefixes. */
function addressesOf(matches: readonly LookupMatch[]): Address[] {
  const texts = new Set(matches.flatMap(({ prefix }) => prefix?.split('/')[0] ?? []));
  return [...texts].flatMap((text) => {
    const parsed = parseAddress(text);
    return parsed.ok ? [parsed.value] : [];
  });
}

/** The routes that are asked for, and the revisions that have some. */
function announcedOf(
  { live }: LookupState,
  find: Finder,
): { readonly texts: string[]; readonly revisions: LiveRevision[]; readonly isCut: boolean } {
  const texts: string[] = [];
  const revisions: LiveRevision[] = [];
  let isCut = false;
  for (const routes of live) {
    const before = texts.length;
    for (const family of FAMILIES) {
      const rows = routes.table[family];
      const { found, isCut: isMore } = find(rows);
      isCut ||= isMore;
      for (const row of found) texts.push(announcedText(routes, rows, row));
    }
    if (texts.length > before) revisions.push(routes.revision);
  }
  return { texts, revisions, isCut };
}

function announcedText(routes: LiveRoutes, rows: PrefixRows, row: number): string {
  const labelSet = rows.labels[row]!;
  let frame = routes.frames.get(labelSet);
  if (frame === undefined) {
    frame = announcedFrame(routes, routes.table.labelSets[labelSet]!);
    routes.frames.set(labelSet, frame);
  }
  return fill(frame, formatPrefixAt(rows, row));
}
