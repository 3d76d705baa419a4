import type { Lookup, LookupAnnounced, LookupMatch } from '../api/lookup.ts';
import type { ModuleType } from '../api/modules.ts';
import { fieldProblem } from '../api/problem.ts';
import { type Address, FAMILIES, bitsOf, formatAddress, parseAddress } from '../core/address.ts';
import { parseFqdn } from '../core/fqdn.ts';
import { matchesOf } from '../core/lookup.ts';
import { mayContain } from '../core/occupied-places.ts';
import type { PrefixRows, PrefixTable } from '../core/prefix-table.ts';
import { formatPrefixAt } from '../core/prefix.ts';
import type { TenantTx } from '../store/database.ts';
import {
  findDomainsNamed,
  findLookupEntries,
  findRangesAround,
  type LookupEntry,
  type LookupModule,
  type LookupRange,
} from '../store/lookup.ts';
import { readLookupState, type HeldEntries, type LookupState } from './lookup-state.ts';

/** What the entries of a module are, and how what comes of them is called. */
const KINDS = {
  CDN_SOURCES: { type: 'cdn_source', source: 'cdn' },
  AS_PREFIXES: { type: 'as_entry', source: 'as' },
  DOMAINS: { type: 'domain_entry', source: 'domain' },
  IP_RANGES: { type: 'ip_range_entry', source: 'ip_range' },
} as const satisfies Record<ModuleType, Pick<LookupMatch, 'source'> & Pick<LookupMatch['entry'], 'type'>>;

/**
 * Which lists hold the address or the domain name, and what is announced of it. Nothing is resolved or fetched. The database says
 * which contents are current; only what never changes, their decoded tables, is kept between requests.
 * @throws {Problem} `validation_failed` for what is neither
 */
export async function lookup(tx: TenantTx, query: string): Promise<Lookup> {
  const asked = readQuery(query);
  const state = await readLookupState(tx);
  const quick = lookupIn(state, query);
  if (quick !== null) return quick;
  if (asked.kind === 'ip') {
    const { address } = asked;
    const ranges = await findRangesAround(tx, formatAddress(address), bitsOf(address.family));
    const collected = findCollected(state, address);
    const entries = await findLookupEntries(tx, [...new Set(collected.map(({ entryId }) => entryId))]);
    return answerAddress(state, query, address, { ranges, collected, entries });
  }
  const matches = await matchDomain(tx, state, asked.name);
  const announced = listAnnounced(state, addressesOf(matches));
  return { query, kind: 'fqdn', normalized: asked.name, matches, announced };
}

/**
 * The same without the database, where the state holds all that it takes; null where it does not.
 * @throws {Problem} as {@link lookup}
 */
export function lookupIn(state: LookupState, query: string): Lookup | null {
  const asked = readQuery(query);
  if (asked.kind !== 'ip' || state.held === null) return null;
  const { address } = asked;
  return answerAddress(state, query, address, {
    ranges: heldRangesAround(state.held, address),
    collected: findCollected(state, address),
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
function answerAddress(
  state: LookupState,
  query: string,
  address: Address,
  { ranges, collected, entries }: Around,
): Lookup {
  const { modules, communityOf } = state;
  const inEntries = ranges.flatMap((range): LookupMatch[] => {
    const module = modules.get(range.module_id);
    // Made while the state was read.
    if (module === undefined) return [];
    return [
      {
        layer: 'entry',
        module: told(module),
        entry: { id: range.id, type: 'ip_range_entry', value: range.cidr },
        prefix: range.cidr,
        source: 'ip_range',
        collected_at: null,
        community: communityOf(module, range),
      },
    ];
  });
  const inSnapshots = collected.map(({ module, entryId, prefix }): LookupMatch => {
    const { type, source } = KINDS[module.type];
    const entry = entries.get(entryId);
    return {
      layer: 'snapshot',
      module: told(module),
      entry: { id: entryId, type, value: entry?.value ?? null },
      prefix,
      source,
      collected_at: entry?.last_refreshed_at ?? module.collected_at,
      community: communityOf(module, entry),
    };
  });
  return {
    query,
    kind: 'ip',
    normalized: formatAddress(address),
    matches: [...inEntries, ...inSnapshots],
    announced: listAnnounced(state, [address]),
  };
}

function heldRangesAround({ ranges, byId }: HeldEntries, address: Address): LookupRange[] {
  const rows = ranges[address.family];
  const found = matchesOf(rows, address).flatMap((row) =>
    ranges.labelSets[rows.labels[row]!]!.map((id) => {
      const { module_id, community_id } = byId.get(id)!;
      return { id, module_id, community_id, cidr: formatPrefixAt(rows, row) };
    }),
  );
  return found.sort((a, b) => (a.module_id < b.module_id ? -1 : a.module_id > b.module_id ? 1 : 0));
}

/** The entries of this name, then the prefixes that the snapshots of their modules hold of them. */
async function matchDomain(
  tx: TenantTx,
  { modules, snapshots, communityOf }: LookupState,
  domain: string,
): Promise<LookupMatch[]> {
  const inEntries: LookupMatch[] = [];
  const inSnapshots: LookupMatch[] = [];
  for (const entry of await findDomainsNamed(tx, domain)) {
    const module = modules.get(entry.module_id);
    if (module === undefined) continue;
    const match = {
      module: told(module),
      entry: { id: entry.id, type: 'domain_entry' as const, value: entry.domain },
      source: 'domain' as const,
      community: communityOf(module, entry),
    };
    inEntries.push({ ...match, layer: 'entry', domain, collected_at: null });
    const snapshot = snapshots.find((other) => other.module === module);
    if (snapshot === undefined) continue;
    const collected_at = entry.last_refreshed_at ?? module.collected_at;
    for (const prefix of prefixesLabelled(snapshot.table, entry.id))
      inSnapshots.push({ ...match, layer: 'snapshot', prefix, collected_at });
  }
  return [...inEntries, ...inSnapshots];
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

interface Collected {
  readonly module: LookupModule;
  readonly entryId: string;
  readonly prefix: string;
}

function findCollected({ snapshots }: LookupState, address: Address): Collected[] {
  const collected: Collected[] = [];
  for (const { module, table, places } of snapshots) {
    if (!mayContain(places[address.family], address)) continue;
    const rows = table[address.family];
    for (const row of matchesOf(rows, address)) {
      const prefix = formatPrefixAt(rows, row);
      for (const entryId of table.labelSets[rows.labels[row]!]!) collected.push({ module, entryId, prefix });
    }
  }
  return collected;
}

/** The routes around any of the addresses, each once. */
function listAnnounced({ live }: LookupState, addresses: readonly Address[]): LookupAnnounced[] {
  const announced: LookupAnnounced[] = [];
  if (addresses.length === 0) return announced;
  for (const { revision, table } of live) {
    for (const { rows, row } of rowsAround(table, addresses)) {
      const labels = table.labelSets[rows.labels[row]!]!;
      announced.push({
        revision_id: revision.id,
        prefix: formatPrefixAt(rows, row),
        communities: revision.communities
          .filter(({ community }) => labels.includes(community))
          .map(({ prefix_count: _, ...community }) => community),
        speaker_ids: [...revision.speaker_ids],
      });
    }
  }
  return announced;
}

function rowsAround(
  table: PrefixTable,
  addresses: readonly Address[],
): { readonly rows: PrefixRows; readonly row: number }[] {
  return FAMILIES.flatMap((family) => {
    const rows = table[family];
    const found = new Set(addresses.flatMap((address) => matchesOf(rows, address)));
    return Array.from(found, (row) => ({ rows, row }));
  });
}

function told({ id, name, type }: LookupModule): LookupMatch['module'] {
  return { id, name, type };
}
