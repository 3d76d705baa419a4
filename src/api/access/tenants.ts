import { Type, type Static, type TProperties } from 'typebox';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Id, Strict, listQuery, resourceMembers } from '../shapes/page.ts';
import { TenantPolicy, TenantPolicyPatch } from './tenant-policy.ts';

export const TenantStatus = Type.Enum(['active', 'suspended', 'stopped'], {
  description:
    'Keys of a suspended tenant are refused and its jobs wait; its speakers keep announcing their routes. A stopped tenant is ' +
    'suspended, and its sessions end too: all its routes are withdrawn, and nothing is deleted',
});
export type TenantStatus = Static<typeof TenantStatus>;

/** What a tenant may have a limited number of, with what each means. */
export const QUOTAS = {
  modules: 'Modules',
  entries: 'Entries of all modules together',
  communities: 'Communities',
  speakers: 'Speakers',
  peers: 'Peers',
  sessions: 'Sessions of peers with speakers on this machine',
  api_keys: 'API keys that work',
  jobs_queued: 'Jobs that wait for their turn',
  firewall_clients: 'Firewall clients',
  firewall_rules: 'Firewall rules',
  feeds: 'Feeds',
  webhooks: 'Webhooks',
  doh_profiles: 'DoH profiles',
  enrollment_tokens: 'Enrollment tokens that can be used',
} as const;
export type QuotaName = keyof typeof QUOTAS;

const numbers = Object.fromEntries(
  Object.entries(QUOTAS).map(([name, description]) => [
    name,
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }),
  ]),
) as Readonly<Record<QuotaName, ReturnType<typeof Type.Integer>>> satisfies TProperties;

export const Quotas = Strict(numbers, { description: 'How many there may be at most' });
export type Quotas = Static<typeof Quotas>;
const QuotasPatch = Type.Partial(Quotas, {
  additionalProperties: false,
  minProperties: 1,
  description: 'Maximum numbers; members that are not named stay unchanged',
});

const writable = {
  name: Name('For people'),
  quotas: QuotasPatch,
  policy: TenantPolicyPatch,
};

export const Tenant = Strict({
  ...resourceMembers,
  name: writable.name,
  slug: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description:
      'Lower-case letters, digits and hyphens, at most 63, beginning with a letter or a digit; unique, and it cannot be changed',
    examples: ['acme'],
  }),
  status: TenantStatus,
  policy: TenantPolicy,
  quotas: Quotas,
  usage: Strict(numbers, { description: 'Current numbers' }),
  announcing_nodes: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Of a stopped tenant: nodes that have not reported yet that their sessions have ended. One that is out of reach goes on announcing until it is back',
    }),
  ),
});
export type Tenant = Static<typeof Tenant>;

export const TenantCreate = Strict({
  name: writable.name,
  slug: Tenant.properties.slug,
  quotas: Type.Optional(writable.quotas),
  policy: Type.Optional(writable.policy),
});
export type TenantCreate = Static<typeof TenantCreate>;

export const TenantPatch = Type.Partial(Strict({ ...writable, status: TenantStatus }), {
  additionalProperties: false,
  minProperties: 1,
});
export type TenantPatch = Static<typeof TenantPatch>;

export const TenantCreated = Strict({
  ...Tenant.properties,
  api_key: Strict(
    { id: Id, secret: Type.String({ description: 'The key itself, shown only now' }) },
    { description: 'The first key of the tenant; its role is `operator`' },
  ),
});
export type TenantCreated = Static<typeof TenantCreated>;

export const TenantQuery = listQuery({
  status: Type.Optional(TenantStatus),
  q: Type.Optional(SearchText),
});
export type TenantQuery = Static<typeof TenantQuery>;

export const TenantDeleteQuery = Strict({
  confirm: Type.String({
    minLength: 1,
    maxLength: 63,
    description: 'The slug of the tenant',
    examples: ['acme'],
  }),
  abandon_nodes: Type.Optional(
    Type.Boolean({
      description: 'Deletes the tenant even if its nodes may keep announcing their routes',
    }),
  ),
});
export type TenantDeleteQuery = Static<typeof TenantDeleteQuery>;
