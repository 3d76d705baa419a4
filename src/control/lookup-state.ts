import type { Community } from '../api/communities.ts';
import type { LookupMatch } from '../api/lookup.ts';
import type { Family } from '../core/address.ts';
import { type OccupiedPlaces, occupiedPlaces } from '../core/occupied-places.ts';
import { parsePrefix } from '../core/prefix.ts';
import { type PrefixTable, PrefixTableBuilder } from '../core/prefix-table.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { TenantTx } from '../store/database.ts';
import {
  listLiveRevisions,
  listLookupEntries,
  listLookupModules,
  type LiveRevision,
  type LookupEntry,
  type LookupModule,
} from '../store/lookup.ts';
import { getSetting } from '../store/settings.ts';
import { tableCache } from './table-cache.ts';

/** Entries that are read at once: a few milliseconds. */
const HELD_ENTRIES = 5_000;

/** What lookups of a tenant need to know, whatever they look up. It holds until something is committed. */
export interface LookupState {
  readonly modules: ReadonlyMap<string, LookupModule>;
  /** Of the modules that were ever refreshed. */
  readonly snapshots: readonly LookupSnapshot[];
  readonly live: readonly { readonly revision: LiveRevision; readonly table: PrefixTable }[];
  readonly communityOf: CommunityOf;
  /** Null where there are too many to hold: then each lookup asks for those that it met. */
  readonly held: HeldEntries | null;
}

export interface LookupSnapshot {
  readonly module: LookupModule;
  readonly table: PrefixTable;
  readonly places: Readonly<Record<Family, OccupiedPlaces>>;
}

export interface HeldEntries {
  readonly byId: ReadonlyMap<string, LookupEntry>;
  /** The ranges, labelled with their ids. */
  readonly ranges: PrefixTable;
}

export type CommunityOf = (
  module: LookupModule,
  entry: { readonly community_id: string | null } | undefined,
) => LookupMatch['community'];

export async function readLookupState(tx: TenantTx): Promise<LookupState> {
  const modules = await listLookupModules(tx);
  const snapshots: LookupState['snapshots'][number][] = [];
  for (const module of modules) {
    if (module.content_hash === null) continue;
    const table = await tableCache.load(tx, module.content_hash);
    snapshots.push({ module, table, places: placesOf(table) });
  }
  const live: LookupState['live'][number][] = [];
  for (const revision of await listLiveRevisions(tx))
    live.push({ revision, table: await tableCache.load(tx, revision.content_hash) });
  const entries = await listLookupEntries(tx, HELD_ENTRIES);
  return {
    modules: new Map(modules.map((module) => [module.id, module])),
    snapshots,
    live,
    communityOf: await communities(tx),
    held: entries === null ? null : { byId: entries, ranges: rangesAmong(entries.values()) },
  };
}

const placesByTable = new WeakMap<PrefixTable, LookupSnapshot['places']>();

/** Tables never change, so this is worked out once. */
function placesOf(table: PrefixTable): LookupSnapshot['places'] {
  const known = placesByTable.get(table);
  if (known !== undefined) return known;
  const places = { ipv4: occupiedPlaces(table.ipv4), ipv6: occupiedPlaces(table.ipv6) };
  placesByTable.set(table, places);
  return places;
}

function rangesAmong(entries: Iterable<LookupEntry>): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const { id, kind, value } of entries) {
    if (kind !== 'ip_range_entry') continue;
    const prefix = parsePrefix(value);
    if (prefix.ok) builder.add(prefix.value.family, prefix.value.words, prefix.value.length, id);
  }
  return builder.build();
}

/** The community that a match carries: the entry's, else its module's, else the tenant's default. What is excluded carries none. */
async function communities(tx: TenantTx): Promise<CommunityOf> {
  const byId = new Map((await listAllCommunities(tx)).map((community) => [community.id, present(community)]));
  const fallback = await getSetting(tx, 'default_community_id');
  return (module, entry) => {
    if (module.purpose === 'exclude') return null;
    const id = entry?.community_id ?? module.community_id ?? fallback;
    return (id === null ? undefined : byId.get(id)) ?? null;
  };
}

function present({ id, community, title }: Community): LookupMatch['community'] {
  return { community_id: id, value: community, title };
}
