import type { Community, CommunityCreate, CommunityPatch } from '../../api/lists/communities.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { formatCommunity, parseCommunity } from '../../core/community.ts';
import { insertCommunity, lockCommunity, updateCommunity } from '../../store/tenants/communities.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import type { ControlContext } from '../context.ts';
import { withHostAddresses } from '../models/bgp-values.ts';
import { checkCommunityPolicy } from '../policy/written.ts';
import { requestPeerReconcile } from '../speakers/reconcile-peers.ts';

const NEXT_HOPS = ['next_hop_ipv4', 'next_hop_ipv6'] as const;

export async function createCommunity(tx: TenantTx, body: CommunityCreate): Promise<Versioned<Community>> {
  const made = { ...withNextHops(body), community: canonical(body.community) };
  await checkCommunityPolicy(tx, made);
  return insertCommunity(tx, made);
}

/** A new value takes effect at the next revision; a new next hop by a job, which applies what speakers run once more. */
export async function changeCommunity(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  patch: CommunityPatch,
  version: number | null,
): Promise<Versioned<Community>> {
  const community = patch.community === undefined ? {} : { community: canonical(patch.community) };
  const changed = { ...withNextHops(patch), ...community };
  await checkCommunityPolicy(tx, changed);
  const before = await lockCommunity(tx, id, version);
  const after = await updateCommunity(tx, id, changed, version);
  if (NEXT_HOPS.some((hop) => before[hop] !== after.resource[hop]))
    await requestPeerReconcile(tx, context, null, { type: 'community', id });
  return after;
}

function withNextHops<Body extends CommunityPatch>(body: Body): Body {
  return withHostAddresses(body, NEXT_HOPS);
}

function canonical(text: string): string {
  const parsed = parseCommunity(text);
  if (!parsed.ok) throw fieldProblem('/community', `${parsed.reason}.`);
  return formatCommunity(parsed.value);
}
