import type { Community } from '../api/lists/communities.ts';
import type { TenantPolicy } from '../api/access/tenant-policy.ts';
import { SessionLimits } from './limits.ts';

/** Which routes are allowed. Plain data; null: all. */
export interface PolicyGuardrail {
  readonly prefixes: readonly string[] | null;
  readonly communities: readonly string[] | null;
  /** Communities whose next hops are outside the tenant's networks. */
  readonly foreignNextHops: readonly string[];
}

export const OPEN_POLICY: PolicyGuardrail = { prefixes: null, communities: null, foreignNextHops: [] };

/** The tenant's policy for routes. Pure. @param communities all of the tenant, with their next hops */
export function policyGuardrailOf(
  policy: TenantPolicy,
  communities: readonly Pick<Community, 'community' | 'next_hop_ipv4' | 'next_hop_ipv6'>[],
): PolicyGuardrail {
  const limits = new SessionLimits(policy);
  const isForeign = (address: string | null): boolean => address !== null && limits.nextHop(address) !== null;
  return {
    prefixes: policy.allowed_prefixes,
    communities: policy.allowed_communities,
    foreignNextHops: communities
      .filter(({ next_hop_ipv4, next_hop_ipv6 }) => isForeign(next_hop_ipv4) || isForeign(next_hop_ipv6))
      .map(({ community }) => community),
  };
}
