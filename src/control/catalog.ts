import type { Catalog } from '../api/catalog.ts';
import {
  listCatalogAses,
  listCatalogDomains,
  listCatalogModules,
  listCatalogRanges,
} from '../store/catalog.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { TenantTx } from '../store/database/database.ts';

/** Every list of the tenant in one answer, for who keeps a copy or fills a form. */
export async function readCatalog(tx: TenantTx): Promise<Catalog> {
  return {
    modules: await listCatalogModules(tx),
    domain_entries: await listCatalogDomains(tx),
    as_entries: await listCatalogAses(tx),
    ip_range_entries: await listCatalogRanges(tx),
    communities: (await listAllCommunities(tx)).map(({ id, community, title }) => ({ id, community, title })),
  };
}
