/** What guardrails depend on beside settings, in one statement: the addresses around speakers, and what super roles allow. */
import { sql } from 'kysely';
import type { TenantPolicy } from '../../api/access/tenant-policy.ts';
import type { Community } from '../../api/lists/communities.ts';
import type { SpeakerPolicies } from '../../api/speakers/speakers.ts';
import type { TenantTx } from '../database/database.ts';

/** Of each kind every one of the tenant, oldest first. */
export interface GuardrailFacts {
  /** Of the tenant. */
  readonly slug: string;
  readonly policy: TenantPolicy;
  readonly communities: readonly Pick<Community, 'community' | 'next_hop_ipv4' | 'next_hop_ipv6'>[];
  readonly speakers: readonly SpeakerAddresses[];
  readonly peers: readonly { readonly name: string; readonly address: string }[];
  readonly resolvers: readonly ResolverAddresses[];
}

export interface SpeakerAddresses {
  readonly name: string;
  readonly local_ipv4: string | null;
  readonly local_ipv6: string | null;
  readonly policies_json: SpeakerPolicies;
}

/** A DoH profile: its URL, and the addresses to connect to. */
export interface ResolverAddresses {
  readonly name: string;
  readonly url: string;
  readonly bootstrap_addresses: readonly string[];
}

const all = (table: string, columns: readonly string[]) => sql`
  (SELECT coalesce(json_agg(one ORDER BY one.id), '[]')
     FROM (SELECT id, ${sql.join(columns.map((name) => sql.ref(name)))}
             FROM ${sql.table(table)} WHERE tenant_id = tenant.id) one)`;

/** Of a row of `tenant`. */
export const GUARDRAIL_FACTS = sql<GuardrailFacts>`
  json_build_object(
    'slug', slug,
    'policy', policy,
    'communities', ${all('community', ['community', 'next_hop_ipv4', 'next_hop_ipv6'])},
    'speakers', ${all('speaker', ['name', 'local_ipv4', 'local_ipv6', 'policies_json'])},
    'peers', ${all('peer', ['name', 'address'])},
    'resolvers', ${all('doh_profile', ['name', 'url', 'bootstrap_addresses'])})`;

export async function readGuardrailFacts(tx: TenantTx): Promise<GuardrailFacts> {
  const { rows } = await sql<{ facts: GuardrailFacts }>`
    SELECT ${GUARDRAIL_FACTS} AS facts FROM tenant WHERE id = ${tx.tenantId}`.execute(tx.sql);
  return rows[0]!.facts;
}
