import type { Community, CommunityCreate, CommunityPatch } from '../../api/lists/communities.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { formatCommunity, parseCommunity } from '../../core/community.ts';
import { insertCommunity, updateCommunity } from '../../store/tenants/communities.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { checkCommunityPolicy } from '../policy/written.ts';
import { withHostAddresses } from '../models/bgp-values.ts';

export async function createCommunity(tx: TenantTx, body: CommunityCreate): Promise<Versioned<Community>> {
  const made = { ...withNextHops(body), community: canonical(body.community) };
  await checkCommunityPolicy(tx, made);
  return insertCommunity(tx, made);
}

/** A new next hop takes effect at the next apply, a new value at the next revision. */
export async function changeCommunity(
  tx: TenantTx,
  id: string,
  patch: CommunityPatch,
  version: number | null,
): Promise<Versioned<Community>> {
  const community = patch.community === undefined ? {} : { community: canonical(patch.community) };
  const changed = { ...withNextHops(patch), ...community };
  await checkCommunityPolicy(tx, changed);
  return updateCommunity(tx, id, changed, version);
}

function withNextHops<Body extends CommunityPatch>(body: Body): Body {
  return withHostAddresses(body, ['next_hop_ipv4', 'next_hop_ipv6']);
}

function canonical(text: string): string {
  const parsed = parseCommunity(text);
  if (!parsed.ok) throw fieldProblem('/community', `${parsed.reason}.`);
  return formatCommunity(parsed.value);
}
