import { type Catalog, CATALOG_LISTS } from '../api/catalog.ts';
import { ENTRY_KINDS } from '../api/entry-kinds.ts';
import { listCatalogEntries, listCatalogModules } from '../store/catalog.ts';
import { listAllCommunities } from '../store/communities.ts';
import type { TenantTx } from '../store/database/database.ts';

/** Every list of the tenant in one answer, for who keeps a copy or fills a form. */
export async function readCatalog(tx: TenantTx): Promise<Catalog> {
  const modules = await listCatalogModules(tx);
  const lists: Record<string, unknown> = {};
  for (const [name, { items }] of Object.entries(CATALOG_LISTS)) {
    const kind = Object.values(ENTRY_KINDS).find(({ catalog }) => catalog === name);
    lists[name] = await listCatalogEntries(tx, kind!.entry, Object.keys(items.properties));
  }
  return {
    modules,
    ...(lists as Pick<Catalog, keyof typeof CATALOG_LISTS>),
    communities: (await listAllCommunities(tx)).map(({ id, community, title }) => ({ id, community, title })),
  };
}
