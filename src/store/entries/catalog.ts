/** Pages of the catalog, in the order of ids. */
import { sql } from 'kysely';
import type { CatalogCommunity, CatalogModule } from '../../api/lists/catalog.ts';
import type { EntryType } from '../../api/entries/entry-kinds.ts';
import type { TenantTx } from '../database/database.ts';

export interface CatalogRow {
  readonly id: string;
}

/** @param after the id after which to continue; null: from the first */
export async function listCatalogModules(
  tx: TenantTx,
  after: string | null,
  limit: number,
): Promise<CatalogModule[]> {
  const rows = await tx.sql
    .selectFrom('module')
    .select(['id', 'name', 'type', 'purpose', 'enabled', 'community_id', 'families', 'last_refreshed_at'])
    .select(['prefix_count_ipv4 as ipv4', 'prefix_count_ipv6 as ipv6'])
    .where('tenant_id', '=', tx.tenantId)
    .$if(after !== null, (modules) => modules.where('id', '>', after!))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ ipv4, ipv6, ...module }) => ({ ...module, prefix_count: { ipv4, ipv6 } }));
}

/** These columns of entries of the kind, `id` among them. */
export async function listCatalogEntries(
  tx: TenantTx,
  table: EntryType,
  columns: readonly string[],
  after: string | null,
  limit: number,
): Promise<CatalogRow[]> {
  const next = after === null ? sql`` : sql`AND id > ${after}`;
  const { rows } = await sql<CatalogRow>`
    SELECT ${sql.join(columns.map((column) => sql.ref(column)))} FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} ${next} ORDER BY id LIMIT ${limit}`.execute(tx.sql);
  return rows;
}

export function listCatalogCommunities(
  tx: TenantTx,
  after: string | null,
  limit: number,
): Promise<CatalogCommunity[]> {
  return tx.sql
    .selectFrom('community')
    .select(['id', 'community', 'title'])
    .where('tenant_id', '=', tx.tenantId)
    .$if(after !== null, (rows) => rows.where('id', '>', after!))
    .orderBy('id')
    .limit(limit)
    .execute();
}
