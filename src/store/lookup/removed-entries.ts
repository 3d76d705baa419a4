/** Entries that are gone, as lookups in the past name them: revisions were built from them. */
import { sql } from 'kysely';
import { ENTRY_TYPES } from '../../api/entries/entry-kinds.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import type { LookupEntry } from './lookup.ts';

const EXPIRE_ACTIONS = ENTRY_TYPES.map((kind) => `${kind}.expire`);

/**
 * Of the entries with these ids those that were removed from the modules not long ago, by id, as they were, and those that have expired, as the
 * audit log knows them. Only the chunks that mention one of them are read as JSON.
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
  // What was written before the record had the communities is taken to have had those of its module.
  const expired = sql`
    SELECT resource_id::uuid AS id, (changes_before ->> 'module_id')::uuid AS module_id,
           split_part(action, '.', 1) AS kind, resource_name AS value,
           ARRAY(SELECT jsonb_array_elements_text(coalesce(changes_before -> 'community_ids', '[]')))::uuid[] AS community_ids,
           (changes_before ->> 'expires_at')::timestamptz AS expires_at, (changes_before ->> 'enabled')::boolean AS enabled,
           NULL::timestamptz AS last_refreshed_at
      FROM audit_record
     WHERE tenant_id = ${tx.tenantId} AND resource_id = ANY (${ids}) AND action = ANY (${EXPIRE_ACTIONS})
       AND changes_before ->> 'module_id' = ANY (${moduleIds})`;
  const { rows } = await sql<LookupEntry>`${sql.join([...selects, expired], sql` UNION ALL `)}`.execute(
    tx.sql,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
