/** Entries that are gone, as lookups in the past name them: revisions were built from them. */
import { sql } from 'kysely';
import { ENTRY_TYPES } from '../../api/entries/entry-kinds.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import type { LookupEntry } from './lookup.ts';

/**
 * Of the entries with these ids those that were removed from the modules not long ago, by id, as they were. Only the chunks that mention one of them
 * are read as JSON.
 */
export async function findRemovedEntries(
  tx: TenantTx,
  moduleIds: readonly string[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, LookupEntry>> {
  if (ids.length === 0) return new Map();
  const mentions = ids.map((id) => `%${id}%`);
  const selects = ENTRY_TYPES.map((kind) => {
    const { value } = ENTRY_TABLES[kind];
    return sql`
    SELECT e.id, b.module_id, ${sql.lit(kind)} AS kind, ${value} AS value, e.community_ids, e.expires_at, e.enabled,
           NULL::timestamptz AS last_refreshed_at
      FROM removed_batch b
      JOIN removed_chunk c ON c.tenant_id = b.tenant_id AND c.batch_id = b.id
     CROSS JOIN LATERAL json_populate_recordset(NULL::${sql.table(kind)}, c.entries) AS e
     WHERE b.tenant_id = ${tx.tenantId} AND b.module_id = ANY (${moduleIds}::uuid[]) AND c.kind = ${sql.lit(kind)}
       AND c.entries::text LIKE ANY (${mentions}::text[]) AND e.id = ANY (${ids}::uuid[])`;
  });
  const { rows } = await sql<LookupEntry>`${sql.join(selects, sql` UNION ALL `)}`.execute(tx.sql);
  return new Map(rows.map((row) => [row.id, row]));
}
