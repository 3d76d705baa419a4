import { listAllCommunities } from '../../store/communities.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { readOwnTenant } from '../../store/tenants.ts';
import type { PolicyRail } from '../guards/guard-policy.ts';
import { SessionLimits } from './limits.ts';

/** What the policy of the tenant says of routes, as it is now. */
export async function readPolicyRail(tx: TenantTx): Promise<PolicyRail> {
  const { policy } = await readOwnTenant(tx);
  const limits = new SessionLimits(policy);
  const communities = await listAllCommunities(tx);
  const isForeign = (address: string | null): boolean => address !== null && limits.nextHop(address) !== null;
  return {
    prefixes: policy.allowed_prefixes,
    communities: policy.allowed_communities,
    foreignNextHops: communities
      .filter(({ next_hop_ipv4, next_hop_ipv6 }) => isForeign(next_hop_ipv4) || isForeign(next_hop_ipv6))
      .map(({ community }) => community),
  };
}
