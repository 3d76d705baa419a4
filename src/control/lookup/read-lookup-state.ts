import type { Community } from '../../api/lists/communities.ts';
import type { LookupMatch } from '../../api/lookup/lookup.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listLiveRevisions } from '../../store/lookup/lookup.ts';
import { readCandidates } from '../../store/lookup/lookup-candidates.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { tableCache } from '../tables/table-cache.ts';
import { readCollected } from './collected-cache.ts';
import { readKnownLists } from './known-lists.ts';
import type { Candidate, CommunitiesOf, LiveRoutes, LookupState } from './lookup-state.ts';
import { readLookupPeers } from './peer-reasons.ts';

/** Reads what lookups of the tenant need, as it is now. */
export async function readLookupState(tx: TenantTx): Promise<LookupState> {
  const { modules, held } = await readKnownLists(tx);
  const collected = await readCollected(tx, modules.values());
  const live: LiveRoutes[] = [];
  for (const revision of await listLiveRevisions(tx)) {
    const table = await tableCache.load(tx, revision.content_hash);
    live.push({ revision, table, frames: new Map() });
  }
  const { speakerIds, candidates: coming } = await readCandidates(tx);
  const candidates: Candidate[] = [];
  for (const revision of coming)
    candidates.push({ revision, table: await tableCache.load(tx, revision.content_hash) });
  return {
    isPast: false,
    leftOut: new Set(),
    modules,
    collected,
    live,
    speakerIds,
    candidates,
    ahead: aheadOf(candidates, live),
    peers: await readLookupPeers(tx, live),
    isFrozen: await getSetting(tx, 'deploy_freeze'),
    appliesByItself: await getSetting(tx, 'auto_apply'),
    dropsBogons: (await getSetting(tx, 'guard_bogons')) === 'drop',
    communitiesOf: await communities(tx),
    held,
    frames: new Map(),
  };
}

function aheadOf(candidates: readonly Candidate[], live: readonly LiveRoutes[]): Candidate | null {
  const ready = candidates.find(({ revision: { role } }) => role === 'latest');
  if (ready === undefined) return null;
  const { content_hash: due } = ready.revision;
  return live.some(({ revision }) => revision.content_hash !== due) ? ready : null;
}

/** The communities that a match carries: the entry's, else its module's, else the tenant's default. What is excluded carries none. */
async function communities(tx: TenantTx): Promise<CommunitiesOf> {
  const byId = new Map((await listAllCommunities(tx)).map((community) => [community.id, present(community)]));
  const fallback = await getSetting(tx, 'default_community_id');
  return (module, entry) => {
    if (module.purpose === 'exclude') return [];
    const own = entry?.community_ids ?? [];
    const ids = own.length > 0 ? own : [module.community_id ?? fallback ?? ''];
    return ids.flatMap((id) => byId.get(id) ?? []);
  };
}

function present({ id, community, title }: Community): LookupMatch['communities'][number] {
  return { community_id: id, value: community, title };
}
