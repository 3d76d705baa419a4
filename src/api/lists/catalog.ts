import { Type, type Static } from 'typebox';
import { Community } from './communities.ts';
import { CATALOG_LISTS } from '../entries/kind-schemas.ts';
import { Module } from './modules.ts';
import { Strict } from '../shapes/page.ts';

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

export const CatalogCommunity = Strict({
  id: Community.properties.id,
  community: Community.properties.community,
  title: Community.properties.title,
});
export type CatalogCommunity = Static<typeof CatalogCommunity>;

/** All lists of the tenant at one moment, each in the order of creation. */
export const Catalog = Strict({
  modules: Type.Array(CatalogModule),
  ...CATALOG_LISTS,
  communities: Type.Array(CatalogCommunity),
});
export type Catalog = Static<typeof Catalog>;
