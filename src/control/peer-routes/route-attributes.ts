/** What routes are sent with beside what their revision says: what an apply would send now, and what speakers were sent last. */
import type { TenantTx } from '../../store/database/database.ts';
import { listSentAttributes, type RouteAttributes } from '../../store/rollout/sent-attributes.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import type { CommunityNextHops } from '../models/community-labels.ts';

/** What an apply that begins now sends. */
export async function currentAttributes(
  tx: TenantTx,
  communities: readonly CommunityNextHops[],
): Promise<RouteAttributes> {
  const nextHops = communities.map(({ id, next_hop_ipv4, next_hop_ipv6 }) => ({
    ...{ id, next_hop_ipv4, next_hop_ipv6 },
  }));
  return { nextHops, noExport: await getSetting(tx, 'guard_no_export') };
}

/** By speaker; those that were sent what there is now are left out. */
export async function readSentAttributes(tx: TenantTx): Promise<ReadonlyMap<string, RouteAttributes>> {
  return listSentAttributes(tx, await currentAttributes(tx, await listAllCommunities(tx)));
}

/** The same of what routers have: an apply that is under way sends its routes long before it has ended, and may still take them back. */
export async function readAttributesOnRouters(tx: TenantTx): Promise<ReadonlyMap<string, RouteAttributes>> {
  return listSentAttributes(tx, await currentAttributes(tx, await listAllCommunities(tx)), null, true);
}
