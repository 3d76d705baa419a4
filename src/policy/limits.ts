/** What a policy allows, prepared for lookups. Pure. */
import type { TenantPolicy } from '../api/access/tenant-policy.ts';
import { bitsOf, parseAddress, type Family } from '../core/address.ts';
import { parsePrefix, type Prefix } from '../core/prefix.ts';
import type { PrefixSet } from '../core/sets/prefix-set.ts';
import { setOfTexts } from '../core/sets/set-of-texts.ts';
import { holdsPrefix } from '../core/sets/within.ts';

/** Null: every address. */
export type AllowedSets = Readonly<Record<Family, PrefixSet>> | null;

/** The addresses that a list of a policy allows. */
export function allowedSets(list: readonly string[] | null): AllowedSets {
  return list === null ? null : { ipv4: setOfTexts('ipv4', list), ipv6: setOfTexts('ipv6', list) };
}

export function allowsPrefix(allowed: AllowedSets, prefix: Prefix): boolean {
  return allowed === null || holdsPrefix(allowed[prefix.family], prefix);
}

/** Text that is not an address is not allowed. */
export function allowsAddress(allowed: AllowedSets, text: string): boolean {
  if (allowed === null) return true;
  const parsed = parseAddress(text);
  return parsed.ok && allowsPrefix(allowed, { ...parsed.value, length: bitsOf(parsed.value.family) });
}

/** Why the policy forbids a range in canonical text, for a person; null: it does not. */
export function outsideRange(allowed: AllowedSets, cidr: string): string | null {
  if (allowed === null) return null;
  const parsed = parsePrefix(cidr);
  if (!parsed.ok || allowsPrefix(allowed, parsed.value)) return null;
  return `tenant_policy: The policy of the tenant does not allow ${cidr} (allowed_prefixes). ${ASK}`;
}

/** @param community canonical text @param patterns null: every community */
export function allowsCommunity(patterns: readonly string[] | null, community: string): boolean {
  return patterns === null || patterns.some((pattern) => matches(pattern, community));
}

/** `65000:*` is every `65000:n`, and no large community. */
function matches(pattern: string, community: string): boolean {
  if (pattern === community) return true;
  const wanted = pattern.split(':');
  const given = community.split(':');
  return wanted.length === given.length && wanted.every((part, at) => part === '*' || part === given[at]);
}

/** A policy as a check of sessions and their settings. */
export class SessionLimits {
  readonly #asns: readonly number[] | null;
  readonly #peers: AllowedSets;
  readonly #sources: AllowedSets;

  constructor(policy: TenantPolicy) {
    this.#asns = policy.allowed_local_asns;
    this.#peers = allowedSets(policy.allowed_peer_networks);
    this.#sources = allowedSets(policy.allowed_source_addresses);
  }

  /** @returns what is wrong with the AS number, for a person; null: nothing */
  localAsn(asn: number): string | null {
    return this.#asns === null || this.#asns.includes(asn)
      ? null
      : `The policy of the tenant allows no local AS number ${asn} (allowed_local_asns). ${ASK}`;
  }

  peer(address: string): string | null {
    return allowsAddress(this.#peers, address)
      ? null
      : `The policy of the tenant allows no peer at ${address} (allowed_peer_networks). ${ASK}`;
  }

  source(address: string): string | null {
    return allowsAddress(this.#sources, address)
      ? null
      : `The policy of the tenant allows no sessions from ${address} (allowed_source_addresses). ${ASK}`;
  }

  /** Traffic may be sent to addresses that the tenant speaks from, and to its routers. */
  nextHop(address: string): string | null {
    return allowsAddress(this.#sources, address) || allowsAddress(this.#peers, address)
      ? null
      : `The policy of the tenant allows no next hop ${address} (allowed_source_addresses, allowed_peer_networks). ${ASK}`;
  }
}

/** Who loosens a guardrail, after the words that name its setting. */
export const WHO_LOOSENS =
  '(the operator of the service does, unless the policy of the tenant has may_loosen_guards)';

/** Whom to ask for a change of the policy. */
export const ASK = 'Ask the operator of the service to change it.';
