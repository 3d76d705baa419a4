import { ENTRY_KINDS } from '../../api/lists/entry-kinds.ts';
import type { LookupMatch } from '../../api/lists/lookup.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { type Address, FAMILIES, bitsOf, formatAddress, parseAddress } from '../../core/address.ts';
import { parseFqdn } from '../../core/fqdn.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  findDomainsNamed,
  findLookupEntries,
  findRangesAround,
  type LiveRevision,
  type LookupEntry,
  type LookupRange,
} from '../../store/lookup/lookup.ts';
import type { Collected } from './collected-lists.ts';
import type { HeldEntries, LiveRoutes, LookupState } from './lookup-state.ts';
import { readLookupState } from './read-lookup-state.ts';
import { announcedFrame, answerText, carried, collectedFrame, fill, rangeText, told } from './lookup-text.ts';
import { type Holder, holderOf, nameNotAnnounced, notAnnounced } from './not-announced.ts';
import { tableCache } from '../tables/table-cache.ts';

/** Addresses of a name of which it is told why they are not announced. */
const MAXIMUM_ADDRESSES = 16;

/**
 * Which lists hold the address or the domain name, and what is announced of it, as the JSON text of a `Lookup`. Nothing is resolved
 * or fetched. The database says which contents are current; only what never changes, their decoded tables, is kept between requests.
 * @throws {Problem} `validation_failed` for what is neither
 */
export async function lookup(tx: TenantTx, query: string): Promise<string> {
  const asked = readQuery(query);
  const state = await readLookupState(tx);
  const quick = lookupIn(state, query);
  if (quick !== null) return quick;
  if (asked.kind === 'ip') {
    const { address } = asked;
    return answerAddress(state, query, address, await findAround(tx, state, address));
  }
  const { matches, holders: named } = await matchDomain(tx, state, asked.name);
  const addresses = addressesOf(matches);
  const { texts: announced } = announcedOf(state, addresses);
  const texts = matches.map((match) => JSON.stringify(match));
  // What holds for the name is told again of each address.
  const reasons = addresses.length === 0 ? nameNotAnnounced(named) : [];
  for (const address of addresses.slice(0, MAXIMUM_ADDRESSES)) {
    const around = await findAround(tx, state, address);
    const { revisions } = announcedOf(state, [address]);
    reasons.push(...notAnnounced(state, address, revisions, () => holdersOf(state, around)));
  }
  return answerText({ query, kind: 'fqdn', normalized: asked.name }, texts, announced, reasons);
}

async function findAround(tx: TenantTx, state: LookupState, address: Address): Promise<Around> {
  const collected = state.collected.find(address);
  if (state.held !== null)
    return { ranges: heldRangesAround(state.held, address), collected, entries: state.held.byId };
  const ranges = await findRangesAround(tx, formatAddress(address), bitsOf(address.family));
  const ids = collected.flatMap(({ labelSet }) => state.collected.originOf(labelSet).entryIds);
  const entries = await findLookupEntries(tx, [...new Set(ids)]);
  return { ranges, collected, entries };
}

/**
 * The same without the database, where the state holds all that it takes; null where it does not.
 * @throws {Problem} as {@link lookup}
 */
export function lookupIn(state: LookupState, query: string): string | null {
  const asked = readQuery(query);
  return asked.kind === 'ip' ? lookupAddress(state, query, asked.address) : null;
}

/** {@link lookupIn} for an address that was read out of `query`. */
export function lookupAddress(state: LookupState, query: string, address: Address): string | null {
  if (state.held === null) return null;
  return answerAddress(state, query, address, {
    ranges: heldRangesAround(state.held, address),
    collected: state.collected.find(address),
    entries: state.held.byId,
  });
}

type Asked =
  { readonly kind: 'ip'; readonly address: Address } | { readonly kind: 'fqdn'; readonly name: string };

function readQuery(query: string): Asked {
  const text = query.trim();
  const address = parseAddress(text);
  if (address.ok) return { kind: 'ip', address: address.value };
  const name = parseFqdn(text);
  if (name.ok) return { kind: 'fqdn', name: name.value };
  const looksLikeAddress = /^[0-9.]+(?:\/|$)|:/.test(text);
  throw fieldProblem(
    '?q',
    `Neither an address nor a domain name. ${looksLikeAddress ? address.reason : name.reason}.`,
  );
}

/** What lies around an address. */
interface Around {
  readonly ranges: readonly LookupRange[];
  readonly collected: readonly Collected[];
  /** At least those that were collected from. */
  readonly entries: ReadonlyMap<string, LookupEntry>;
}

/** The layer of entries first, then that of snapshots; by module, and in it the longest prefix first. */
function answerAddress(state: LookupState, query: string, address: Address, around: Around): string {
  const matches: string[] = [];
  for (const range of around.ranges) {
    const module = state.modules.get(range.module_id);
    // One that is missing was made while the state was read.
    if (module !== undefined) matches.push(rangeText(state, module, range));
  }
  for (const collected of around.collected) pushCollected(matches, state, collected, around.entries);
  const normalized = formatAddress(address);
  const { texts, revisions } = announcedOf(state, [address]);
  const reasons = notAnnounced(state, address, revisions, () => holdersOf(state, around));
  return answerText({ query, kind: 'ip', normalized }, matches, texts, reasons);
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

function heldRangesAround({ ranges, byId }: HeldEntries, address: Address): LookupRange[] {
  const rows = ranges[address.family];
  const found = matchesOf(rows, address).flatMap((row) =>
    ranges.labelSets[rows.labels[row]!]!.map((id) => {
      const { module_id, community_ids, expires_at, enabled } = byId.get(id)!;
      return { id, module_id, community_ids, expires_at, enabled, cidr: formatPrefixAt(rows, row) };
    }),
  );
  return found.sort((a, b) => (a.module_id < b.module_id ? -1 : a.module_id > b.module_id ? 1 : 0));
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
      module: told(module),
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

/** The routes around any of the addresses, each once, and the revisions that have some. */
function announcedOf(
  { live }: LookupState,
  addresses: readonly Address[],
): { readonly texts: string[]; readonly revisions: LiveRevision[] } {
  const texts: string[] = [];
  const revisions: LiveRevision[] = [];
  for (const routes of live) {
    const before = texts.length;
    for (const family of FAMILIES) {
      const rows = routes.table[family];
      const asked = addresses.filter((address) => address.family === family);
      const around = asked.length === 1 ? matchesOf(rows, asked[0]!) : matchesOfAny(rows, asked);
      for (const row of around) texts.push(announcedText(routes, rows, row));
    }
    if (texts.length > before) revisions.push(routes.revision);
  }
  return { texts, revisions };
}

function matchesOfAny(rows: PrefixRows, addresses: readonly Address[]): Iterable<number> {
  return new Set(addresses.flatMap((address) => matchesOf(rows, address)));
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
