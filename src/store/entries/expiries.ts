/** Expired entries, by the clock of the database. */
import { sql } from 'kysely';
import { ENTRY_TYPES, type EntryType } from '../../api/entries/entry-kinds.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { HAS_SILENT } from '../holding/sessions.ts';
import { HAS_PENDING } from '../modules/pending-changes.ts';
import { TENANTS_WITH_DUE_MODULES } from '../modules/schedule.ts';
import { HAS_EXPIRED, REMEMBERED_DAYS } from '../past-expiries.ts';

/**
 * Active tenants with expired entries or ends that nobody has followed, and milliseconds until the next end; null: there is none. Where
 * `auto_revision` is off, nothing follows such an end until it is on again or somebody builds a revision.
 */
export interface DueExpiries {
  readonly tenantIds: readonly string[];
  readonly nextMilliseconds: number | null;
}

export async function listDueExpiries(tx: SystemTx): Promise<DueExpiries> {
  const { rows } = await DUE_EXPIRIES.execute(tx.sql);
  return presentExpiries(rows[0]!);
}

interface DueRow {
  readonly due: string[];
  readonly next: number | null;
}

function presentExpiries({ due, next }: DueRow): DueExpiries {
  return { tenantIds: due, nextMilliseconds: next };
}

/** What the scheduler looks for again and again, in one statement. */
export interface DueWork {
  readonly expiries: DueExpiries;
  /** Tenants with modules that are due. */
  readonly refreshing: readonly string[];
  /** There are edits that a revision may be built for. */
  readonly hasPending: boolean;
  /** There are sessions whose holder is silent. */
  readonly hasSilent: boolean;
}

export async function lookForDueWork(tx: SystemTx): Promise<DueWork> {
  const { rows } = await sql<DueRow & { refreshing: string[]; has_pending: boolean; has_silent: boolean }>`
    SELECT expiries.*, ARRAY(SELECT id::text FROM (${TENANTS_WITH_DUE_MODULES}) AS refreshing) AS refreshing,
           ${HAS_PENDING} AS has_pending, ${HAS_SILENT} AS has_silent
      FROM (${DUE_EXPIRIES}) AS expiries`.execute(tx.sql);
  const { refreshing, has_pending: hasPending, has_silent: hasSilent, ...row } = rows[0]!;
  return { expiries: presentExpiries(row), refreshing, hasPending, hasSilent };
}

const nextOf = (table: EntryType) => sql`
  (SELECT min(expires_at) FROM ${sql.table(table)} WHERE tenant_id = tenant.id AND expires_at IS NOT NULL)`;

const DUE_EXPIRIES = sql<DueRow>`
    SELECT coalesce(array_agg(id::text) FILTER (WHERE next <= clock_timestamp()), '{}') AS due,
           (extract(epoch FROM min(next) FILTER (WHERE next > clock_timestamp()) - clock_timestamp()) * 1000)::float8 AS next
      FROM (SELECT id, least(${sql.join(ENTRY_TYPES.map(nextOf))},
                             (SELECT min(at) FROM past_expiry
                               WHERE tenant_id = tenant.id AND is_open
                                 AND NOT EXISTS (SELECT FROM setting
                                                  WHERE setting.tenant_id = tenant.id AND key = 'auto_revision'
                                                    AND value = 'false'))) AS next
              FROM tenant WHERE status = 'active' OFFSET 0) tenant`;

export interface ExpiredEntry {
  readonly table: EntryType;
  readonly id: string;
  readonly module_id: string;
  /** How operators know it. */
  readonly name: string;
  readonly enabled: boolean;
  readonly community_ids: readonly string[];
  readonly expires_at: string;
}

/** Some of the tenant's expired entries. */
export async function listExpiredEntries(tx: TenantTx, limit: number): Promise<ExpiredEntry[]> {
  const listed: ExpiredEntry[] = [];
  for (const table of ENTRY_TYPES) {
    if (listed.length >= limit) break;
    const { rows } = await sql<Omit<ExpiredEntry, 'table'>>`
      SELECT id, module_id, ${ENTRY_TABLES[table].name} AS name, enabled, community_ids, expires_at FROM ${sql.table(table)}
       WHERE tenant_id = ${tx.tenantId} AND expires_at <= clock_timestamp()
       ORDER BY expires_at, id LIMIT ${limit - listed.length}`.execute(tx.sql);
    listed.push(...rows.map((row) => ({ table, ...row })));
  }
  return listed;
}

/**
 * Deletes those of them that are still expired. A trigger remembers their ends. That is pending as what nobody edited. The caller has
 * locked the entries of their module.
 * @returns their ids
 */
export async function deleteExpired(
  tx: TenantTx,
  table: EntryType,
  ids: readonly string[],
): Promise<string[]> {
  const { rows: begun } = await sql<{ at: string }>`
    SELECT date_trunc('milliseconds', clock_timestamp())::text AS at`.execute(tx.sql);
  const { rows } = await sql<{ id: string; module_id: string }>`
    DELETE FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::uuid[]) AND expires_at <= clock_timestamp()
    RETURNING id, module_id`.execute(tx.sql);
  await sql`
    UPDATE pending_change SET is_expiry = true
     WHERE tenant_id = ${tx.tenantId} AND module_id = ANY (${rows.map(({ module_id: id }) => id)}::uuid[])
       AND at >= ${begun[0]!.at}::timestamptz`.execute(tx.sql);
  return rows.map(({ id }) => id);
}

/** Notes that the ends of entries that are over are followed. @returns the modules that these entries were in */
export async function settleEnds(tx: TenantTx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH ended AS (
      UPDATE past_expiry SET is_open = false
       WHERE tenant_id = ${tx.tenantId} AND is_open AND at <= clock_timestamp()
      RETURNING module_id)
    SELECT DISTINCT module_id AS id FROM ended`.execute(tx.sql);
  return rows.map(({ id }) => id);
}

/** Ids of entries whose end was recently or has not been followed, in ascending order; those too that somebody had deleted before it. */
export async function listExpiredIds(tx: TenantTx): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('past_expiry')
    .select('entry_id')
    .where('tenant_id', '=', tx.tenantId)
    .where(HAS_EXPIRED)
    .orderBy('entry_id')
    .execute();
  return rows.map(({ entry_id: id }) => id);
}

/**
 * Ids of entries whose end was after that moment, and is over: those remembered, and those of the audit log, which knows of more than the last days.
 * @param since as the API writes moments
 */
export async function listExpiredSince(tx: TenantTx, since: string): Promise<ReadonlySet<string>> {
  const actions = ENTRY_TYPES.map((table) => `${table}.expire`);
  const { rows } = await sql<{ id: string }>`
    SELECT entry_id::text AS id FROM past_expiry
     WHERE tenant_id = ${tx.tenantId} AND at > ${since}::timestamptz AND ${HAS_EXPIRED}
    UNION
    SELECT resource_id FROM audit_record
     WHERE tenant_id = ${tx.tenantId} AND action = ANY (${actions}) AND at > ${since}::timestamptz
       AND resource_id IS NOT NULL`.execute(tx.sql);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Forgets ends that were long ago, as soon as they were followed or a revision was built long enough after them to have seen them; and of
 * those to come the last ones, where the tenant has deleted more entries with an end than it may have entries.
 */
export async function forgetExpired(tx: TenantTx): Promise<void> {
  await sql`
    DELETE FROM past_expiry
     WHERE tenant_id = ${tx.tenantId} AND at <= now() - make_interval(days => ${REMEMBERED_DAYS}::int)
       AND (NOT is_open
            OR EXISTS (SELECT FROM revision
                        WHERE revision.tenant_id = past_expiry.tenant_id AND rollback_of IS NULL
                          AND revision.created_at > past_expiry.at + interval '1 day'))`.execute(tx.sql);
  await sql`
    DELETE FROM past_expiry USING (
      SELECT entry_id, row_number() OVER (ORDER BY at, entry_id) AS place FROM past_expiry
       WHERE tenant_id = ${tx.tenantId} AND at > now()) AS coming
     WHERE tenant_id = ${tx.tenantId} AND past_expiry.entry_id = coming.entry_id
       AND place > (SELECT maximum FROM tenant_quota WHERE tenant_id = ${tx.tenantId} AND resource = 'entries')`.execute(
    tx.sql,
  );
}
