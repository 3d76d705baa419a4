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
  type LookupEntry,
} from '../../store/lookup.ts';
import { readCandidates } from '../../store/lookup-candidates.ts';
import { getSetting } from '../../store/settings.ts';
import { tableCache } from '../tables/table-cache.ts';
import { readCollected } from './collected-cache.ts';
import type { Candidate, CommunityOf, LiveRoutes, LookupState } from './lookup-state.ts';
import { readLookupPeers } from './peer-reasons.ts';

/** Entries that are read at once: a few milliseconds. */
const HELD_ENTRIES = 5_000;

/** Reads what lookups of the tenant need, as it is now. */
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
