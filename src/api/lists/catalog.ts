import { Type, type Static } from 'typebox';
import { Community } from './communities.ts';
import { CatalogGeofeed } from '../entries/geofeed-entries.ts';
import { Module } from './modules.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';

const entryMembers = {
  ...{ id: Id, module_id: Id, enabled: Type.Boolean(), community_id: Nullable(Id) },
  community_ids: Type.Array(Id),
  expires_at: Nullable(Timestamp),
};
const { id, name, type, purpose, enabled, community_id, families, last_refreshed_at, prefix_count } =
  Module.properties;

export const CatalogModule = Strict({
  id,
  name,
  type,
  purpose,
  enabled,
  community_id,
  families,
  last_refreshed_at,
  prefix_count,
});
export type CatalogModule = Static<typeof CatalogModule>;

export const CatalogDomain = Strict({ ...entryMembers, domain: Type.String() });
export type CatalogDomain = Static<typeof CatalogDomain>;

export const CatalogAs = Strict({
  ...entryMembers,
  asn: Type.Integer({ minimum: 1, maximum: 4_294_967_294 }),
});
export type CatalogAs = Static<typeof CatalogAs>;

export const CatalogRange = Strict({ ...entryMembers, cidr: Type.String() });
export type CatalogRange = Static<typeof CatalogRange>;

export const CatalogCommunity = Strict({
  id: Community.properties.id,
  community: Community.properties.community,
  title: Community.properties.title,
});
export type CatalogCommunity = Static<typeof CatalogCommunity>;

/** The lists of entries, by the name that entry-kinds.ts gives them. */
export const CATALOG_LISTS = {
  domain_entries: Type.Array(CatalogDomain),
  as_entries: Type.Array(CatalogAs),
  ip_range_entries: Type.Array(CatalogRange),
  geofeed_entries: Type.Array(CatalogGeofeed),
};

/** All lists of the tenant at one moment, each in the order of creation. */
export const Catalog = Strict({
  modules: Type.Array(CatalogModule),
  ...CATALOG_LISTS,
  communities: Type.Array(CatalogCommunity),
});
export type Catalog = Static<typeof Catalog>;
