import type { Community } from '../api/communities.ts';
import type { Lookup, LookupAnnounced, LookupMatch } from '../api/lookup.ts';
import type { ModuleType } from '../api/modules.ts';
import { fieldProblem } from '../api/problem.ts';
import { type Address, FAMILIES, bitsOf, formatAddress, parseAddress } from '../core/address.ts';
import { parseFqdn } from '../core/fqdn.ts';
import { matchesOf } from '../core/lookup.ts';
import type { PrefixRows, PrefixTable } from '../core/prefix-table.ts';
import { formatPrefixAt } from '../core/prefix.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { TenantTx } from '../store/database.ts';
import {
  findDomainsNamed,
  findLookupEntries,
  findRangesAround,
  listLiveRevisions,
  listLookupModules,
  type LookupModule,
} from '../store/lookup.ts';
import { getSetting } from '../store/settings.ts';
import { tableCache } from './table-cache.ts';

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
  const text = query.trim();
  const address = parseAddress(text);
  if (address.ok) {
    return {
      query,
      kind: 'ip',
      normalized: formatAddress(address.value),
      matches: await matchAddress(tx, address.value),
      announced: await listAnnounced(tx, [address.value]),
    };
  }
  const name = parseFqdn(text);
  if (!name.ok) {
    const looksLikeAddress = /^[0-9.]+(?:\/|$)|:/.test(text);
    throw fieldProblem(
      '?q',
      `Neither an address nor a domain name. ${looksLikeAddress ? address.reason : name.reason}.`,
    );
  }
  const matches = await matchDomain(tx, name.value);
  const announced = await listAnnounced(tx, addressesOf(matches));
  return { query, kind: 'fqdn', normalized: name.value, matches, announced };
}

/** The layer of entries first, then that of snapshots; by module, and in it the longest prefix first. */
async function matchAddress(tx: TenantTx, address: Address): Promise<LookupMatch[]> {
  const modules = await listLookupModules(tx);
  const communityOf = await communities(tx);
  const byId = new Map(modules.map((module) => [module.id, module]));
  const ranges = await findRangesAround(tx, formatAddress(address), bitsOf(address.family));
  const inEntries = ranges.map((range): LookupMatch => {
    const module = byId.get(range.module_id)!;
    return {
      layer: 'entry',
      module: told(module),
      entry: { id: range.id, type: 'ip_range_entry', value: range.cidr },
      prefix: range.cidr,
      source: 'ip_range',
      collected_at: null,
      community: communityOf(module, range),
    };
  });
  const collected = await findCollected(tx, modules, address);
  const entries = await findLookupEntries(tx, [...new Set(collected.map(({ entryId }) => entryId))]);
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
  return [...inEntries, ...inSnapshots];
}

/** The entries of this name, then the prefixes that the snapshots of their modules hold of them. */
async function matchDomain(tx: TenantTx, domain: string): Promise<LookupMatch[]> {
  const entries = await findDomainsNamed(tx, domain);
  if (entries.length === 0) return [];
  const byId = new Map((await listLookupModules(tx)).map((module) => [module.id, module]));
  const communityOf = await communities(tx);
  const inEntries: LookupMatch[] = [];
  const inSnapshots: LookupMatch[] = [];
  for (const entry of entries) {
    const module = byId.get(entry.module_id)!;
    const match = {
      module: told(module),
      entry: { id: entry.id, type: 'domain_entry' as const, value: entry.domain },
      source: 'domain' as const,
      community: communityOf(module, entry),
    };
    inEntries.push({ ...match, layer: 'entry', domain, collected_at: null });
    if (module.content_hash === null) continue;
    const collected_at = entry.last_refreshed_at ?? module.collected_at;
    for (const prefix of prefixesLabelled(await tableCache.load(tx, module.content_hash), entry.id))
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

async function findCollected(
  tx: TenantTx,
  modules: readonly LookupModule[],
  address: Address,
): Promise<Collected[]> {
  const collected: Collected[] = [];
  for (const module of modules) {
    if (module.content_hash === null) continue;
    const table = await tableCache.load(tx, module.content_hash);
    const rows = table[address.family];
    for (const row of matchesOf(rows, address)) {
      const prefix = formatPrefixAt(rows, row);
      for (const entryId of table.labelSets[rows.labels[row]!]!) collected.push({ module, entryId, prefix });
    }
  }
  return collected;
}

/** The routes around any of the addresses, each once. */
async function listAnnounced(tx: TenantTx, addresses: readonly Address[]): Promise<LookupAnnounced[]> {
  const announced: LookupAnnounced[] = [];
  if (addresses.length === 0) return announced;
  for (const revision of await listLiveRevisions(tx)) {
    const table = await tableCache.load(tx, revision.content_hash);
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

type CommunityOf = (
  module: LookupModule,
  entry: { readonly community_id: string | null } | undefined,
) => LookupMatch['community'];

/** The community that a match carries: the entry's, else its module's, else the tenant's default. What is excluded carries none. */
async function communities(tx: TenantTx): Promise<CommunityOf> {
  const byId = new Map((await listAllCommunities(tx)).map((community) => [community.id, community]));
  const fallback = await getSetting(tx, 'default_community_id');
  return (module, entry) => {
    if (module.purpose === 'exclude') return null;
    const id = entry?.community_id ?? module.community_id ?? fallback;
    return presentCommunity(id === null ? undefined : byId.get(id));
  };
}

function presentCommunity(community: Community | undefined): LookupMatch['community'] {
  if (community === undefined) return null;
  return { community_id: community.id, value: community.community, title: community.title };
}

function told({ id, name, type }: LookupModule): LookupMatch['module'] {
  return { id, name, type };
}
