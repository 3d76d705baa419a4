import type { Community } from '../../api/communities.ts';
import type { LookupMatch } from '../../api/lookup.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../core/tables/prefix-table.ts';
import { listAllCommunities } from '../../store/communities.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  listLiveRevisions,
  listLookupEntries,
  listLookupModules,
  type LiveRevision,
  type LookupEntry,
  type LookupModule,
} from '../../store/lookup.ts';
import { readCandidates, type LookupCandidate } from '../../store/lookup-candidates.ts';
import { getSetting } from '../../store/settings.ts';
import { readCollected } from './collected-cache.ts';
import type { CollectedLists } from './collected-lists.ts';
import type { Frame } from './lookup-text.ts';
import { type LookupPeers, readLookupPeers } from './peer-reasons.ts';
import { tableCache } from '../tables/table-cache.ts';

/** Entries that are read at once: a few milliseconds. */
const HELD_ENTRIES = 5_000;

/** What lookups of a tenant need to know, whatever they look up. It holds until something is committed. */
export interface LookupState {
  readonly modules: ReadonlyMap<string, LookupModule>;
  /** Of the modules that were ever refreshed. */
  readonly collected: CollectedLists;
  readonly live: readonly LiveRoutes[];
  /** Enabled speakers. */
  readonly speakerIds: readonly string[];
  /** Revisions that may be announced before long. */
  readonly candidates: readonly Candidate[];
  /** Peers of enabled speakers that do not get all routes. */
  readonly peers: LookupPeers;
  /** Whether nothing is applied now. */
  readonly isFrozen: boolean;
  /** Whether special-purpose space is taken out of lists. */
  readonly dropsBogons: boolean;
  readonly communityOf: CommunityOf;
  /** Null where there are too many to hold: then each lookup asks for those that it met. */
  readonly held: HeldEntries | null;
  /** What was already written of matches, by label set of `collected`. */
  readonly frames: Map<number, readonly Frame[]>;
}

export interface LiveRoutes {
  readonly revision: LiveRevision;
  readonly table: PrefixTable;
  /** What was already written of its routes, by label set. */
  readonly frames: Map<number, Frame>;
}

export interface Candidate {
  readonly revision: LookupCandidate;
  readonly table: PrefixTable;
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
  const collected = await readCollected(tx, modules);
  const live: LiveRoutes[] = [];
  for (const revision of await listLiveRevisions(tx)) {
    const table = await tableCache.load(tx, revision.content_hash);
    live.push({ revision, table, frames: new Map() });
  }
  const { speakerIds, candidates: coming } = await readCandidates(tx);
  const candidates: Candidate[] = [];
  for (const revision of coming)
    candidates.push({ revision, table: await tableCache.load(tx, revision.content_hash) });
  const entries = await listLookupEntries(tx, HELD_ENTRIES);
  return {
    modules: new Map(modules.map((module) => [module.id, module])),
    collected,
    live,
    speakerIds,
    candidates,
    peers: await readLookupPeers(tx),
    isFrozen: await getSetting(tx, 'deploy_freeze'),
    dropsBogons: (await getSetting(tx, 'guard_bogons')) === 'drop',
    communityOf: await communities(tx),
    held: entries === null ? null : { byId: entries, ranges: rangesAmong(entries.values()) },
    frames: new Map(),
  };
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
