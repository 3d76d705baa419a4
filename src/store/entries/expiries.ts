/** Expired entries, by the clock of the database. */
import { sql } from 'kysely';
import { ENTRY_TYPES, type EntryType } from '../../api/lists/entry-kinds.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';

/** Days for which expired entries are remembered. */
const REMEMBERED_DAYS = 7;

/** Active tenants with expired entries, and milliseconds until the next expiry; null: no entry expires. */
export interface DueExpiries {
  readonly tenantIds: readonly string[];
  readonly nextMilliseconds: number | null;
}

export async function listDueExpiries(tx: SystemTx): Promise<DueExpiries> {
  const next = (table: EntryType) => sql`
    (SELECT min(expires_at) FROM ${sql.table(table)} WHERE tenant_id = tenant.id AND expires_at IS NOT NULL)`;
  const { rows } = await sql<{ due: string[]; next: number | null }>`
    SELECT coalesce(array_agg(id::text) FILTER (WHERE next <= clock_timestamp()), '{}') AS due,
           (extract(epoch FROM min(next) FILTER (WHERE next > clock_timestamp()) - clock_timestamp()) * 1000)::float8 AS next
      FROM (SELECT id, least(${sql.join(ENTRY_TYPES.map(next))}) AS next
              FROM tenant WHERE status = 'active' OFFSET 0) tenant`.execute(tx.sql);
  const { due, next: nextMilliseconds } = rows[0]!;
  return { tenantIds: due, nextMilliseconds };
}

export interface ExpiredEntry {
  readonly table: EntryType;
  readonly id: string;
  readonly module_id: string;
  /** How operators know it. */
  readonly name: string;
  readonly enabled: boolean;
  readonly expires_at: string;
}

/** Some of the tenant's expired entries. */
export async function listExpiredEntries(tx: TenantTx, limit: number): Promise<ExpiredEntry[]> {
  const listed: ExpiredEntry[] = [];
  for (const table of ENTRY_TYPES) {
    if (listed.length >= limit) break;
    const { rows } = await sql<Omit<ExpiredEntry, 'table'>>`
      SELECT id, module_id, ${ENTRY_TABLES[table].name} AS name, enabled, expires_at FROM ${sql.table(table)}
       WHERE tenant_id = ${tx.tenantId} AND expires_at <= clock_timestamp()
       ORDER BY expires_at, id LIMIT ${limit - listed.length}`.execute(tx.sql);
    listed.push(...rows.map((row) => ({ table, ...row })));
  }
  return listed;
}

/** Deletes those of them that are still expired, and records that they expired. @returns their ids */
export async function deleteExpired(
  tx: TenantTx,
  table: EntryType,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH gone AS (
      DELETE FROM ${sql.table(table)}
       WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::uuid[]) AND expires_at <= clock_timestamp()
      RETURNING id)
    INSERT INTO past_expiry (tenant_id, entry_id) SELECT ${tx.tenantId}, id FROM gone
    RETURNING entry_id AS id`.execute(tx.sql);
  return rows.map(({ id }) => id);
}

/** Ids of entries that expired recently, in ascending order. */
export async function listExpiredIds(tx: TenantTx): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('past_expiry')
    .select('entry_id')
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`at > now() - make_interval(days => ${REMEMBERED_DAYS}::int)`)
    .orderBy('entry_id')
    .execute();
  return rows.map(({ entry_id: id }) => id);
}

export async function forgetExpired(tx: TenantTx): Promise<void> {
  await sql`
    DELETE FROM past_expiry
     WHERE tenant_id = ${tx.tenantId} AND at <= now() - make_interval(days => ${REMEMBERED_DAYS}::int)`.execute(
    tx.sql,
  );
}
