/** What super roles let a tenant do. In place of a list null means everything, and an empty list nothing. */
import { Type, type Static } from 'typebox';
import { Nullable, Strict } from '../shapes/page.ts';
import { Asn } from '../speakers/speakers.ts';

const PrefixText = Type.String({ minLength: 1, maxLength: 64 });
const most = (maxItems: number) => ({ maxItems, uniqueItems: true });

const members = {
  allowed_prefixes: Nullable(
    Type.Array(PrefixText, most(10_000)),
    'Prefixes that it may announce, with everything that they cover; null: everything',
  ),
  allowed_communities: Nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), most(1_000)),
    'Communities that its routes may carry; `*` stands for any number in the last place: `65000:*`, `70000:1:*`; null: every community',
  ),
  allowed_local_asns: Nullable(
    Type.Array(Asn, most(1_000)),
    'AS numbers that its speakers may have; null: every AS number',
  ),
  allowed_peer_networks: Nullable(
    Type.Array(PrefixText, most(1_000)),
    'Networks that its peers may be in; null: all, except those that need `APP_PEER_ALLOW`',
  ),
  allowed_source_addresses: Nullable(
    Type.Array(PrefixText, most(1_000)),
    'Source addresses of its sessions, as addresses or networks; null: every address. An address that the system chooses is always allowed',
  ),
  may_loosen_guards: Type.Boolean({
    description: 'Whether its operators may loosen the settings `guard_*`; they may always tighten them',
  }),
};

export const TenantPolicy = Strict(members, {
  description: 'What the tenant is allowed to do; the guardrail `tenant_policy` enforces it',
});
export type TenantPolicy = Static<typeof TenantPolicy>;

export const TenantPolicyPatch = Type.Partial(Strict(members), {
  additionalProperties: false,
  minProperties: 1,
  description: 'What the tenant is allowed to do; members that are not named stay unchanged',
});
export type TenantPolicyPatch = Static<typeof TenantPolicyPatch>;

/** Of a new tenant, which is given everything by name. */
export const CLOSED_POLICY: TenantPolicy = {
  allowed_prefixes: [],
  allowed_communities: [],
  allowed_local_asns: [],
  allowed_peer_networks: [],
  allowed_source_addresses: [],
  may_loosen_guards: false,
};

/** Of the home tenant, whose operators run the service. */
export const OPEN_POLICY: TenantPolicy = {
  allowed_prefixes: null,
  allowed_communities: null,
  allowed_local_asns: null,
  allowed_peer_networks: null,
  allowed_source_addresses: null,
  may_loosen_guards: true,
};
