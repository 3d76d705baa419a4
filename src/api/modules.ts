import { Type, type Static } from 'typebox';
import {
  Families,
  FamilyName,
  Id,
  Nullable,
  PrefixCount,
  Strict,
  Timestamp,
  listQuery,
  resourceMembers,
} from './page.ts';

export const MODULE_TYPES = ['CDN_SOURCES', 'AS_PREFIXES', 'DOMAINS', 'IP_RANGES'] as const;
export const ModuleType = Type.Enum(MODULE_TYPES);
export type ModuleType = Static<typeof ModuleType>;

export const DohResolverPolicy = Strict({
  strategy: Type.Optional(Type.Enum(['first_success', 'union', 'quorum'])),
  quorum: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
  families: Type.Optional(Type.Array(FamilyName, { minItems: 1, maxItems: 2, uniqueItems: true })),
  retain_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
  max_addresses: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
});
export type DohResolverPolicy = Static<typeof DohResolverPolicy>;

const writable = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique in the tenant' }),
  description: Nullable(Type.String({ maxLength: 2000 })),
  purpose: Type.Enum(['announce', 'exclude']),
  enabled: Type.Boolean(),
  community_id: Nullable(Id),
  refresh_interval_seconds: Nullable(
    Type.Integer({ minimum: 60, maximum: 2_592_000, description: 'null: manual' }),
  ),
  families: Families,
  doh_profile_ids: Type.Array(Id, { maxItems: 16, uniqueItems: true }),
  doh_profile_id: Nullable(Id),
  doh_resolver_policy: Nullable(DohResolverPolicy),
};

export const LastRefresh = Strict({
  status: Type.Enum(['ok', 'partial', 'failed']),
  job_id: Nullable(Id),
  error: Nullable(Type.String()),
});
export type LastRefresh = Static<typeof LastRefresh>;

export const Module = Strict({
  ...resourceMembers,
  ...writable,
  type: ModuleType,
  last_refreshed_at: Nullable(Timestamp),
  last_refresh: Nullable(LastRefresh),
  next_refresh_at: Nullable(Timestamp),
  entry_count: Type.Integer({ minimum: 0 }),
  prefix_count: PrefixCount,
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
  doh_profile_ids: Type.Optional(writable.doh_profile_ids),
  doh_profile_id: Type.Optional(writable.doh_profile_id),
  doh_resolver_policy: Type.Optional(writable.doh_resolver_policy),
});
export type ModuleCreate = Static<typeof ModuleCreate>;

export const ModulePatch = Type.Partial(Strict(writable), { additionalProperties: false, minProperties: 1 });
export type ModulePatch = Static<typeof ModulePatch>;

export const ModuleQuery = listQuery({
  type: Type.Optional(ModuleType),
  enabled: Type.Optional(Type.Boolean()),
  purpose: Type.Optional(writable.purpose),
  community_id: Type.Optional(Id),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type ModuleQuery = Static<typeof ModuleQuery>;
