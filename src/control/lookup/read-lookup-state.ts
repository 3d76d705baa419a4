import type { TenantTx } from '../../store/database/database.ts';
import { listLiveRevisions } from '../../store/lookup/lookup.ts';
import { listCandidates } from '../../store/lookup/lookup-candidates.ts';
import { readLookupTenant, type LookupTenant } from '../../store/lookup/lookup-tenant.ts';
import { isAway } from '../../store/rollout/silent-nodes.ts';
import { SETTINGS_OF_TENANT, getSettings, noteSettings } from '../../store/tenants/settings.ts';
import { tableCache } from '../tables/table-cache.ts';
import { readCollected } from './collected-cache.ts';
import { readKnownLists } from './known-lists.ts';
import type { Candidate, CommunitiesOf, LiveRoutes, LookupState } from './lookup-state.ts';
import { readLookupPeers } from './peer-reasons.ts';

/** Reads what lookups of the tenant need, as it is now. */
export async function readLookupState(tx: TenantTx): Promise<LookupState> {
  const { modules, held } = await readKnownLists(tx);
  const tenant = await readLookupTenant(tx, SETTINGS_OF_TENANT, isAway('speaker'));
  noteSettings(tx, tenant.settings);
  const collected = await readCollected(tx, modules.values());
  const live: LiveRoutes[] = [];
  for (const revision of await listLiveRevisions(tx)) {
    const table = await tableCache.load(tx, revision.content_hash);
    live.push({ revision, table, frames: new Map() });
  }
  const candidates: Candidate[] = [];
  for (const revision of await listCandidates(tx))
    candidates.push({ revision, table: await tableCache.load(tx, revision.content_hash) });
  const settings = await getSettings(tx, [
    'deploy_freeze',
    'auto_apply',
    'guard_bogons',
    'default_community_id',
  ]);
  return {
    pastAt: null,
    leftOut: new Set(),
    modules,
    collected,
    live,
    speakerIds: tenant.speakerIds,
    awayIds: tenant.awayIds,
    candidates,
    ahead: aheadOf(candidates, live),
    heldAhead: candidates.find(({ revision: { role } }) => role === 'held') ?? null,
    peers: await readLookupPeers(tx, tenant, live),
    isFrozen: settings.deploy_freeze,
    appliesByItself: settings.auto_apply,
    dropsBogons: settings.guard_bogons === 'drop',
    communitiesOf: communitiesOf(tenant, settings.default_community_id),
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
function communitiesOf(
  { communities }: Pick<LookupTenant, 'communities'>,
  fallback: string | null,
): CommunitiesOf {
  const byId = new Map(communities.map((community) => [community.community_id, community]));
  return (module, entry) => {
    if (module.purpose === 'exclude') return [];
    const own = entry?.community_ids ?? [];
    const ids = own.length > 0 ? own : [module.community_id ?? fallback ?? ''];
    return ids.flatMap((id) => byId.get(id) ?? []);
  };
}
