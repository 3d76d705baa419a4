import { sql } from 'kysely';
import { ENTRY_KINDS, type ModuleType } from '../../api/entries/entry-kinds.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';

/** The state of an entry with a source at its last refresh. */
export interface EntryStatus {
  readonly id: string;
  /** The name of a source, `AS64496` or a domain. */
  readonly name: string;
  readonly status: 'pending' | 'ok' | 'stale' | 'failed';
}

/** The outcome of an entry in a refresh. */
export interface RefreshOutcome {
  readonly id: string;
  /** Whether there is a new answer. */
  readonly modified: boolean;
  readonly status: 'ok' | 'stale' | 'failed';
  readonly error: string | null;
  readonly prefixCount: PrefixCount;
}

/** {@link RefreshOutcome} with validators, by which the source can say whether its answer has changed. */
export interface ValidatedOutcome extends RefreshOutcome {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The module's entries with a fault, and those of `ids` in any state. */
export async function listUnwellEntries(
  tx: TenantTx,
  { id: moduleId, type }: { readonly id: string; readonly type: ModuleType },
  ids: readonly string[],
): Promise<EntryStatus[]> {
  const { entry: table, isCollected } = ENTRY_KINDS[type];
  if (!isCollected) return [];
  const { name } = ENTRY_TABLES[table];
  const { rows } = await sql<EntryStatus>`
    SELECT id, ${name} AS name, status FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId}
       AND (status IN ('stale', 'failed') OR id = ANY (${ids}::uuid[]))
     ORDER BY id`.execute(tx.sql);
  return rows;
}
