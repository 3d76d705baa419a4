import { sql } from 'kysely';
import type { CatalogModule } from '../api/catalog.ts';
import type { EntryType } from '../api/entry-kinds.ts';
import type { TenantTx } from './database/database.ts';

export async function listCatalogModules(tx: TenantTx): Promise<CatalogModule[]> {
  const rows = await tx.sql
    .selectFrom('module')
    .select(['id', 'name', 'type', 'purpose', 'enabled', 'community_id', 'families', 'last_refreshed_at'])
    .select(['prefix_count_ipv4 as ipv4', 'prefix_count_ipv6 as ipv6'])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('id')
    .execute();
  return rows.map(({ ipv4, ipv6, ...module }) => ({ ...module, prefix_count: { ipv4, ipv6 } }));
}

/** These columns of every entry of the kind. */
export async function listCatalogEntries(
  tx: TenantTx,
  table: EntryType,
  columns: readonly string[],
): Promise<unknown[]> {
  const { rows } = await sql`
    SELECT ${sql.join(columns.map((column) => sql.ref(column)))} FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} ORDER BY id`.execute(tx.sql);
  return rows;
}
