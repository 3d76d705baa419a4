import { Type, type Static } from 'typebox';
import { MODULE_TYPES } from '../entries/entry-kinds.ts';
import { Held } from './held-modules.ts';
import {
  CommunityId,
  Enabled,
  LastError,
  LastRefreshedAt,
  PendingChanges,
  SearchText,
} from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import {
  Families,
  FamilyName,
  Id,
  Nullable,
  PrefixCount,
  Strict,
  Timestamp,
  ByCreation,
  listQuery,
  oneOrSeveral,
  resourceMembers,
} from '../shapes/page.ts';

export { MODULE_TYPES } from '../entries/entry-kinds.ts';
export const ModuleType = Type.Enum(MODULE_TYPES, {
  description: "The type of the module's entries; it cannot be changed",
});
export type ModuleType = Static<typeof ModuleType>;

/** What holds where a module's policy says nothing. Families: the module's; quorum: more than half of its enabled resolvers. */
export const RESOLVER_DEFAULTS = {
  strategy: 'first_success',
  retain_seconds: 86_400,
  max_addresses: 1_000,
  concurrency: 32,
} as const;

export const DohResolverPolicy = Strict({
  strategy: Type.Optional(
    Type.Enum(['first_success', 'union', 'quorum'], {
      default: RESOLVER_DEFAULTS.strategy,
      description:
        'Which answers of several resolvers count: those of the first that answers, in the order of `doh_profile_ids`; those of any; ' +
        'or those that `quorum` of them give',
    }),
  ),
  quorum: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 16,
      description: 'Resolvers that must agree; default: more than half of them',
    }),
  ),
  families: Type.Optional(
    Type.Array(FamilyName, {
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      description: 'Record types to query: A, AAAA; default: the families of the module',
    }),
  ),
  retain_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      default: RESOLVER_DEFAULTS.retain_seconds,
      description: 'An address stays this long after it was last seen',
    }),
  ),
  max_addresses: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: RESOLVER_DEFAULTS.max_addresses,
      description: 'Addresses kept for one domain, the last seen ones',
    }),
  ),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 256,
      default: RESOLVER_DEFAULTS.concurrency,
      description: 'Queries at a time',
    }),
  ),
});
export type DohResolverPolicy = Static<typeof DohResolverPolicy>;

const writable = {
  name: Name('Unique in the tenant, without case'),
  description: Nullable(Type.String({ maxLength: 2000 }), 'For people'),
  purpose: Type.Enum(['announce', 'exclude'], {
    description: '`exclude` removes its addresses from every community of the revision',
  }),
  enabled: Enabled,
  community_id: CommunityId,
  refresh_interval_seconds: Nullable(
    Type.Integer({ minimum: 60, maximum: 2_592_000 }),
    'Seconds between refreshes; null: only on request',
  ),
  families: Families,
  can_be_empty: Type.Boolean({
    description: 'Accepts an answer without prefixes, instead of keeping the last good prefixes',
  }),
  doh_profile_ids: Type.Array(Id, {
    maxItems: 16,
    uniqueItems: true,
    description: 'Resolvers of its domains, for modules of type DOMAINS',
  }),
  doh_profile_id: Nullable(Id, 'The older form of `doh_profile_ids`, for one'),
  doh_resolver_policy: Nullable(
    DohResolverPolicy,
    'How answers are chosen and kept, for modules of type DOMAINS',
  ),
};

export const LastRefresh = Strict({
  status: Type.Enum(['ok', 'partial', 'failed'], {
    description: '`partial`: some entries failed, and keep their last good prefixes; `failed`: all did',
  }),
  job_id: Nullable(Id),
  error: LastError,
});
export type LastRefresh = Static<typeof LastRefresh>;

export const Module = Strict({
  ...resourceMembers,
  ...writable,
  type: ModuleType,
  last_refreshed_at: LastRefreshedAt,
  last_refresh: Nullable(LastRefresh, 'How the last refresh ended; null: there was none'),
  next_refresh_at: Nullable(Timestamp, 'When it is due; null: by hand only'),
  held: Held,
  entry_count: Type.Integer({ minimum: 0, description: 'Entries, including disabled ones' }),
  prefix_count: {
    ...PrefixCount,
    description:
      'What was collected last, be it held or not, and of entries that are enabled now; of more than 20,000 prefixes, of those that were enabled ' +
      'when it was collected, or when the latest revision was built after that. What revisions have of a held module, they say',
  },
  pending_changes: PendingChanges,
});
export type Module = Static<typeof Module>;

export const ModuleCreate = Strict({
  name: writable.name,
  type: ModuleType,
  description: Type.Optional(writable.description),
  purpose: Type.Optional(writable.purpose),
  enabled: Type.Optional(writable.enabled),
  community_id: Type.Optional(writable.community_id),
  refresh_interval_seconds: Type.Optional(writable.refresh_interval_seconds),
  families: Type.Optional(writable.families),
  can_be_empty: Type.Optional(writable.can_be_empty),
  doh_profile_ids: Type.Optional(writable.doh_profile_ids),
  doh_profile_id: Type.Optional(writable.doh_profile_id),
  doh_resolver_policy: Type.Optional(writable.doh_resolver_policy),
});
export type ModuleCreate = Static<typeof ModuleCreate>;

export const ModulePatch = Type.Partial(Strict(writable), { additionalProperties: false, minProperties: 1 });
export type ModulePatch = Static<typeof ModulePatch>;

export const ModuleQuery = listQuery({
  type: Type.Optional(oneOrSeveral(ModuleType)),
  enabled: Type.Optional(Type.Boolean()),
  purpose: Type.Optional(writable.purpose),
  community_id: Type.Optional(Id),
  q: Type.Optional(SearchText),
  sort: ByCreation,
});
export type ModuleQuery = Static<typeof ModuleQuery>;
