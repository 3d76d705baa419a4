import { sql } from 'kysely';
import type { ModuleType } from '../api/modules.ts';
import type { TenantTx } from './database/database.ts';

/** How an entry that is read from somewhere was at its last refresh. */
export interface EntryStatus {
  readonly id: string;
  /** The name of a source, `AS64496` or a domain. */
  readonly name: string;
  readonly status: 'pending' | 'ok' | 'stale' | 'failed';
}

const TABLES = {
  CDN_SOURCES: { table: 'cdn_source', name: sql`name` },
  AS_PREFIXES: { table: 'as_entry', name: sql`'AS' || asn` },
  DOMAINS: { table: 'domain_entry', name: sql`domain` },
} as const;

/** The module's entries that are not well, and those of `ids` however they are. */
export async function listUnwellEntries(
  tx: TenantTx,
  { id: moduleId, type }: { readonly id: string; readonly type: ModuleType },
  ids: readonly string[],
): Promise<EntryStatus[]> {
  if (type === 'IP_RANGES') return [];
  const { table, name } = TABLES[type];
  const { rows } = await sql<EntryStatus>`
    SELECT id, ${name} AS name, status FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId}
       AND (status IN ('stale', 'failed') OR id = ANY (${ids}::uuid[]))
     ORDER BY id`.execute(tx.sql);
  return rows;
}
