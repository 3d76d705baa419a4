/** Checks what tenants write against their policy, while a person can still correct it. */
import type { Community } from '../../api/lists/communities.ts';
import type { Peer } from '../../api/speakers/peers.ts';
import { Problem, type FieldFault } from '../../api/problems/problem.ts';
import type { SettingsPatch } from '../../api/operation/settings.ts';
import type { SpeakerPatch } from '../../api/speakers/speakers.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { identifyModule } from '../../store/modules/modules.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { mapInSlices } from '../../concurrency/slices.ts';
import { ASK, SessionLimits, allowedSets, allowsCommunity, outsideRange } from '../../policy/limits.ts';

/** Most faults in an answer. */
const MAXIMUM_FAULTS = 100;

/**
 * Refuses what breaks the policy of the tenant; does nothing when there are no faults.
 * @throws {Problem} `tenant_policy`
 */
function refuseOutsidePolicy(faults: readonly (FieldFault | null)[]): void {
  const found = faults.filter((fault) => fault !== null);
  const [first] = found;
  if (first === undefined) return;
  const rest = found.length > 1 ? ` (and ${found.length - 1} more, see errors)` : '';
  throw new Problem('tenant_policy', `${first.pointer}: ${first.detail}${rest}`, {
    errors: found.slice(0, MAXIMUM_FAULTS),
  });
}

function at(pointer: string, detail: string | null): FieldFault | null {
  return detail === null ? null : { pointer, detail };
}

/** What the ranges of this module may be; null: everything. What is only excluded is announced by nobody. */
export async function allowedRanges(tx: TenantTx, moduleId: string): Promise<readonly string[] | null> {
  const { policy } = await readOwnTenant(tx);
  if (policy.allowed_prefixes === null) return null;
  const module = await identifyModule(tx, moduleId);
  return module.purpose === 'exclude' ? null : policy.allowed_prefixes;
}

/** @throws {Problem} `tenant_policy` */
export async function checkRanges(
  tx: TenantTx,
  moduleId: string,
  cidrs: readonly string[],
  pointerOf: (index: number) => string,
): Promise<void> {
  const allowed = allowedSets(await allowedRanges(tx, moduleId));
  refuseOutsidePolicy(
    await mapInSlices(cidrs, (cidr, index) => at(`${pointerOf(index)}/cidr`, outsideRange(allowed, cidr))),
  );
}

/** What an operator writes of a community. @throws {Problem} `tenant_policy` */
export async function checkCommunityPolicy(
  tx: TenantTx,
  {
    community,
    next_hop_ipv4: ipv4,
    next_hop_ipv6: ipv6,
  }: Partial<Pick<Community, 'community' | 'next_hop_ipv4' | 'next_hop_ipv6'>>,
): Promise<void> {
  const { policy } = await readOwnTenant(tx);
  const limits = new SessionLimits(policy);
  const isAllowed = community === undefined || allowsCommunity(policy.allowed_communities, community);
  refuseOutsidePolicy([
    isAllowed
      ? null
      : at(
          '/community',
          `The policy of the tenant does not allow the community ${community} (allowed_communities). ${ASK}`,
        ),
    ...nextHops(limits, ipv4, ipv6),
  ]);
}

function nextHops(
  limits: SessionLimits,
  ipv4: string | null | undefined,
  ipv6: string | null | undefined,
): (FieldFault | null)[] {
  return [
    at('/next_hop_ipv4', typeof ipv4 !== 'string' ? null : limits.nextHop(ipv4)),
    at('/next_hop_ipv6', typeof ipv6 !== 'string' ? null : limits.nextHop(ipv6)),
  ];
}

/** What an operator writes of a speaker. @throws {Problem} `tenant_policy` */
export async function checkSpeakerPolicy(
  tx: TenantTx,
  { local_asn: asn, local_ipv4: ipv4, local_ipv6: ipv6, policies_json: policies = {} }: SpeakerPatch,
): Promise<void> {
  const limits = new SessionLimits((await readOwnTenant(tx)).policy);
  const overrides = [
    ['/policies_json', policies] as const,
    ...Object.entries(policies.peers ?? {}).map(
      ([id, overridden]) => [`/policies_json/peers/${id}`, overridden] as const,
    ),
  ];
  refuseOutsidePolicy([
    at('/local_asn', asn === undefined ? null : limits.localAsn(asn)),
    at('/local_ipv4', typeof ipv4 !== 'string' ? null : limits.source(ipv4)),
    at('/local_ipv6', typeof ipv6 !== 'string' ? null : limits.source(ipv6)),
    ...overrides.flatMap(([pointer, { local_asn: own, local_ip: ip }]) => [
      at(`${pointer}/local_asn`, own === undefined ? null : limits.localAsn(own)),
      at(`${pointer}/local_ip`, ip === undefined ? null : limits.source(ip)),
    ]),
  ]);
}

/** What an operator writes of a peer. @throws {Problem} `tenant_policy` */
export async function checkPeerPolicy(
  tx: TenantTx,
  peer: Partial<Pick<Peer, 'address' | 'next_hop_ipv4' | 'next_hop_ipv6'>>,
): Promise<void> {
  const limits = new SessionLimits((await readOwnTenant(tx)).policy);
  refuseOutsidePolicy([
    at('/address', peer.address === undefined ? null : limits.peer(peer.address)),
    ...nextHops(limits, peer.next_hop_ipv4, peer.next_hop_ipv6),
  ]);
}

/** Where sessions come from that no speaker says it of. @throws {Problem} `tenant_policy` */
export async function checkSourceSettings(tx: TenantTx, patch: SettingsPatch): Promise<void> {
  const limits = new SessionLimits((await readOwnTenant(tx)).policy);
  const keys = ['bgp_source_ipv4', 'bgp_source_ipv6'] as const;
  refuseOutsidePolicy(
    keys.map((key) => at(`/${key}`, typeof patch[key] === 'string' ? limits.source(patch[key]) : null)),
  );
}
