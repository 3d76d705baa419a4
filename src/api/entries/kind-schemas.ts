/** The schemas of all kinds of entries: one line a kind in each list. What a kind is called is in entry-kinds.ts, which loads no library of schemas. */
import { Type } from 'typebox';
import * as asEntries from './as-entries.ts';
import * as cdnSources from './cdn-sources.ts';
import * as domainEntries from './domain-entries.ts';
import * as geofeedEntries from './geofeed-entries.ts';
import * as ipRangeEntries from './ip-range-entries.ts';

/** Files whose exported schemas have a name in the API description. */
export const KIND_SCHEMAS: readonly object[] = [
  asEntries,
  cdnSources,
  domainEntries,
  geofeedEntries,
  ipRangeEntries,
];

/** The lists of the catalog, by the name that entry-kinds.ts gives them. */
export const CATALOG_LISTS = {
  domain_entries: Type.Array(domainEntries.CatalogDomain),
  as_entries: Type.Array(asEntries.CatalogAs),
  ip_range_entries: Type.Array(ipRangeEntries.CatalogRange),
  geofeed_entries: Type.Array(geofeedEntries.CatalogGeofeed),
};
