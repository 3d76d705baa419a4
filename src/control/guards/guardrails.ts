import { hash } from 'node:crypto';
import type { Family } from '../../core/address.ts';
import { addressesOf } from '../../core/own-addresses.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type GuardrailFacts, readGuardrailFacts } from '../../store/revisions/guardrail-facts.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { type PolicyGuardrail, policyGuardrailOf } from '../../policy/policy-guardrail.ts';
import { SOURCE_SETTINGS } from '../models/speaker-model.ts';

/** What no route may be, as the tenant has it now. Plain data, so that threads can have it. */
export interface Guardrails {
  readonly allowDefaultRoute: boolean;
  readonly minLength: Readonly<Record<Family, number>>;
  readonly bogons: 'drop' | 'allow';
  /** Never announced, not in part either. */
  readonly protected: readonly ProtectedPrefix[];
  /** Whether findings name the addresses of the service and its database: to the home tenant, which runs them. */
  readonly namesService: boolean;
  readonly maxPrefixes: number;
  readonly maxChangePercent: number;
  /** What super roles let the tenant announce. */
  readonly policy: PolicyGuardrail;
  /** Of the family's unicast space. */
  readonly maxCoveragePercent: number;
  /** Of what a speaker runs, by edits of operators. */
  readonly maxWithdrawPercent: number;
  /** What is held when a module breaks one of these by itself. */
  readonly scope: 'module' | 'revision';
}

export interface ProtectedPrefix {
  /** A prefix, or an address alone. */
  readonly prefix: string;
  /** Whose it is, in words for people. */
  readonly of: string;
  /** Of the service or its database, and not of the tenant. */
  readonly isOfService?: true;
}

/**
 * @param policy where it was read before in this transaction
 * @param known likewise
 */
export async function readGuardrails(
  tx: TenantTx,
  policy?: PolicyGuardrail,
  known?: GuardrailFacts,
): Promise<Guardrails> {
  const settings = await getSettings(tx, [
    'guard_allow_default_route',
    'guard_min_prefix_length_ipv4',
    'guard_min_prefix_length_ipv6',
    'guard_bogons',
    'guard_protected_prefixes',
    'guard_max_prefixes',
    'guard_max_change_percent',
    'guard_max_coverage_percent',
    'guard_max_withdraw_percent',
    'guard_scope',
    ...SOURCE_SETTINGS,
  ]);
  const facts = known ?? (await readGuardrailFacts(tx));
  const chosen = settings.guard_protected_prefixes.map((prefix) => ({
    prefix,
    of: 'the setting guard_protected_prefixes',
  }));
  const sources = SOURCE_SETTINGS.flatMap((key) => {
    const prefix = settings[key];
    return prefix === null ? [] : [{ prefix, of: `the setting ${key}` }];
  });
  const ofService = (tx.ownAddresses ?? []).map((one) => ({ ...one, isOfService: true as const }));
  return {
    allowDefaultRoute: settings.guard_allow_default_route,
    minLength: {
      ipv4: settings.guard_min_prefix_length_ipv4,
      ipv6: settings.guard_min_prefix_length_ipv6,
    },
    bogons: settings.guard_bogons,
    protected: [...chosen, ...sources, ...neighbourhood(facts), ...ofService],
    namesService: facts.slug === DEFAULT_TENANT,
    maxPrefixes: settings.guard_max_prefixes,
    maxChangePercent: settings.guard_max_change_percent,
    policy: policy ?? policyGuardrailOf(facts.policy, facts.communities),
    maxCoveragePercent: settings.guard_max_coverage_percent,
    maxWithdrawPercent: settings.guard_max_withdraw_percent,
    scope: settings.guard_scope,
  };
}

/** Identifies guardrails, to decide whether what was measured by them still holds. */
export function hashOfGuardrails(guardrails: Guardrails): string {
  return hash('sha256', JSON.stringify(guardrails));
}

/** Of those about routes alone: if these are equal, the same content breaks the same of them. */
export function hashOfRouteGuardrails(guardrails: Guardrails): string {
  const { maxChangePercent: _, maxWithdrawPercent: __, scope: ___, ...ofRoutes } = guardrails;
  return hash('sha256', JSON.stringify(ofRoutes));
}

/** The addresses that sessions and questions go to: a route to them would carry both away. */
function neighbourhood(facts: GuardrailFacts): ProtectedPrefix[] {
  const speakers = facts.speakers.flatMap(({ name, local_ipv4, local_ipv6, policies_json }) =>
    [
      local_ipv4,
      local_ipv6,
      policies_json.local_ip,
      ...Object.values(policies_json.peers ?? {}).map((policy) => policy.local_ip),
    ].map((address) => ({ address, of: `the speaker ${name}` })),
  );
  const resolvers = facts.resolvers.flatMap(({ name, url, bootstrap_addresses: addresses }) =>
    [URL.parse(url.replace(/\{.*\}/, ''))?.hostname ?? '', ...addresses]
      .flatMap(addressesOf)
      .map((address) => ({ address, of: `the DoH profile ${name}` })),
  );
  const peers = facts.peers.map(({ name, address }) => ({ address, of: `the peer ${name}` }));
  return [...speakers, ...peers, ...resolvers].flatMap(({ address, of }) =>
    typeof address === 'string' ? [{ prefix: address, of }] : [],
  );
}
