import { sql } from 'kysely';
import { ENTRY_KINDS, type ModuleType } from '../api/entry-kinds.ts';
import type { TenantTx } from './database/database.ts';
import { ENTRY_TABLES } from './database/entry-tables.ts';

/** How an entry that is read from somewhere was at its last refresh. */
export interface EntryStatus {
  readonly id: string;
  /** The name of a source, `AS64496` or a domain. */
  readonly name: string;
  readonly status: 'pending' | 'ok' | 'stale' | 'failed';
}

/** The module's entries that are not well, and those of `ids` however they are. */
export async function listUnwellEntries(
  tx: TenantTx,
  { id: moduleId, type }: { readonly id: string; readonly type: ModuleType },
  ids: readonly string[],
): Promise<EntryStatus[]> {
  const table = ENTRY_KINDS[type].entry;
  const { name, isCollected } = ENTRY_TABLES[table];
  if (!isCollected) return [];
  const { rows } = await sql<EntryStatus>`
    SELECT id, ${name} AS name, status FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId}
       AND (status IN ('stale', 'failed') OR id = ANY (${ids}::uuid[]))
     ORDER BY id`.execute(tx.sql);
  return rows;
}
