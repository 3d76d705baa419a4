import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import { CATALOG_LISTS } from '../../api/entries/kind-schemas.ts';
import {
  listCatalogCommunities,
  listCatalogEntries,
  listCatalogModules,
  type CatalogRow,
} from '../../store/entries/catalog.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { inReadTurn } from '../read-turns.ts';
import type { InTenant } from '../in-tenant.ts';

/** Rows that are read together: a few milliseconds of the event loop. */
const PAGE = 500;
/** As many are of one moment, and nobody has more but for many entries. */
const AT_ONCE = 5_000;

interface CatalogList {
  readonly name: string;
  readonly read: (tx: TenantTx, after: string | null, limit: number) => Promise<readonly CatalogRow[]>;
}

const LISTS: readonly CatalogList[] = [
  { name: 'modules', read: listCatalogModules },
  ...Object.entries(CATALOG_LISTS).map(([name, { items }]): CatalogList => {
    const kind = Object.values(ENTRY_KINDS).find(({ catalog }) => catalog === name)!;
    const columns = Object.keys(items.properties);
    return { name, read: (tx, after, limit) => listCatalogEntries(tx, kind.entry, columns, after, limit) };
  }),
  { name: 'communities', read: listCatalogCommunities },
];

/**
 * Every list of the tenant in one answer, for who keeps a copy or fills a form: the JSON of a Catalog, in pieces.
 *
 * The first rows are read in `tx`, and with them all that a catalog usually has. Each further page has a transaction of its own, since a slow
 * reader may hold none: what changes meanwhile is listed as it was or as it is, and nothing is listed twice.
 */
export async function* writeCatalog(tx: TenantTx, inTenant: InTenant): AsyncGenerator<string> {
  let text = '{';
  let left = AT_ONCE;
  for (const [index, { name, read }] of LISTS.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:[`;
    let after: string | null = null;
    for (;;) {
      if (left <= 0) {
        yield text;
        text = '';
      }
      const from: string | null = after;
      const rows: readonly CatalogRow[] =
        left > 0
          ? await read(tx, from, PAGE)
          : await inReadTurn(tx.tenantId, () => inTenant((within) => read(within, from, PAGE)));
      left -= rows.length;
      text += rows.map((row, at) => `${from === null && at === 0 ? '' : ','}${JSON.stringify(row)}`).join('');
      if (rows.length < PAGE) break;
      after = rows.at(-1)!.id;
    }
    text += ']';
  }
  yield `${text}}`;
}
