import type { Community } from '../../api/communities.ts';
import type { TenantPolicy } from '../../api/tenant-policy.ts';
import type { PolicyGuardrail } from '../guards/guard-policy.ts';
import { SessionLimits } from './limits.ts';

/** What the policy of the tenant says of routes. Pure. @param communities all of the tenant, with their next hops */
export function policyGuardrailOf(policy: TenantPolicy, communities: readonly Community[]): PolicyGuardrail {
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
