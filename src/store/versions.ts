import { sql } from 'kysely';
import { ENTRY_NOUNS, type EntryType } from '../api/entries/entry-kinds.ts';
import { Problem, notFound } from '../api/problems/problem.ts';
import type { TenantTx, Versioned } from './database/database.ts';
import { forgetRead } from './database/read-once.ts';
import type { Tables } from './generated/rows.ts';

/** Tables of resources that operators change. */
type ResourceTable =
  | EntryType
  | 'api_key'
  | 'community'
  | 'maintenance_policy'
  | 'module'
  | 'doh_profile'
  | 'revision'
  | 'speaker'
  | 'peer'
  | 'firewall_client'
  | 'firewall_rule'
  | 'feed'
  | 'webhook';

const NOUNS: Readonly<Record<ResourceTable, string>> = {
  ...ENTRY_NOUNS,
  api_key: 'API key',
  community: 'community',
  maintenance_policy: 'maintenance policy',
  module: 'module',
  doh_profile: 'DoH profile',
  revision: 'revision',
  speaker: 'speaker',
  peer: 'peer',
  firewall_client: 'firewall client',
  firewall_rule: 'firewall rule',
  feed: 'feed',
  webhook: 'webhook',
};

/**
 * Locks the row until the transaction ends, so that what is checked now still holds when it is changed.
 * @param version what the caller read last; null: any
 * @throws {Problem} `not_found`, or `precondition_failed` when the row has been changed since
 */
export async function lockForChange(
  tx: TenantTx,
  table: ResourceTable & keyof Tables,
  id: string,
  version: number | null,
  moduleId?: string,
): Promise<void> {
  // A row that refers to a webhook, as each delivery does, is written beside a change of it.
  const strength = table === 'webhook' ? sql`FOR NO KEY UPDATE` : sql`FOR UPDATE`;
  const inModule = moduleId === undefined ? sql`` : sql` AND module_id = ${moduleId}`;
  const { rows } = await sql<{ version: number }>`
    SELECT version FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND id = ${id}${inModule} ${strength}`.execute(tx.sql);
  forgetRead(tx);
  const row = rows[0];
  if (row === undefined) throw notFound(NOUNS[table], id);
  if (version !== null && row.version !== version) {
    throw new Problem(
      'precondition_failed',
      `The ${NOUNS[table]} has been changed since it was read. Read it again, and repeat the change with its new ETag.`,
    );
  }
}

/** What every change sets. */
export const nextVersion = { version: sql<number>`version + 1`, updated_at: sql<string>`now()` };

/** The resource, or 404 in the words for this table. */
export function found<T>(table: ResourceTable, id: string, row: Versioned<T> | null): Versioned<T> {
  if (row === null) throw notFound(NOUNS[table], id);
  return row;
}

export function versioned<Row extends { readonly version: number }, T>(
  row: Row,
  present: (row: Row) => T,
): Versioned<T> {
  return { resource: present(row), version: row.version };
}
