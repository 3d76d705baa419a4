/**
 * What has changed of what lookups read, since a moment that the database names: rows that a transaction wrote which was not committed then, or
 * begun. PostgreSQL numbers transactions, and each row names the one that wrote it, so this holds for every process and every commit.
 */
import { type RawBuilder, sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TYPES } from '../../api/entries/entry-kinds.ts';
import { entriesWhere, type LookupEntry, type LookupModule } from './lookup.ts';

/** A moment of the database. */
export interface LookupMark {
  /** When the server was started: numbers of another server say nothing. */
  readonly server: string;
  /** The first transaction that had not ended. */
  readonly oldest: string;
}

const MARK = sql`pg_postmaster_start_time()::text AS server, pg_snapshot_xmin(pg_current_snapshot())::text AS oldest`;

/** Whatever is read after this statement holds all that was committed before the moment. */
export async function readLookupMark(tx: TenantTx): Promise<LookupMark> {
  const { rows } = await sql<LookupMark>`SELECT ${MARK}`.execute(tx.sql);
  return rows[0]!;
}

/** Rows that may have changed since, and how many there are now: more or fewer than are known then say that some have gone. */
export interface ChangedRows<Row> {
  readonly count: number;
  readonly rows: readonly Row[];
}

/** A module without what other rows say about it. */
type ModuleRow = Omit<LookupModule, 'is_held'>;

export interface ChangedModules extends ChangedRows<ModuleRow> {
  /** When these were read. */
  readonly mark: LookupMark;
  /** All that a guardrail holds. */
  readonly heldIds: readonly string[];
}

export async function listChangedModules(tx: TenantTx, since: LookupMark): Promise<ChangedModules> {
  const { rows } = await sql<
    LookupMark & { count: number; held_ids: string[] } & Omit<ModuleRow, 'content_hash'> & {
        content_hash: Buffer | null;
      }
  >`
    SELECT standing.*, changed.*
      FROM (SELECT ${MARK}, (SELECT count(*)::int FROM module WHERE tenant_id = ${tx.tenantId}) AS count,
                   ARRAY(SELECT module_id::text FROM held_snapshot WHERE tenant_id = ${tx.tenantId}
                          UNION SELECT module_id::text FROM held_withdrawal WHERE tenant_id = ${tx.tenantId}) AS held_ids) standing
      LEFT JOIN (
        SELECT module.id, module.name, module.type, module.purpose, module.community_id, module.enabled, module.families,
               snapshot.content_hash, snapshot.collected_at
          FROM module
          LEFT JOIN snapshot ON snapshot.tenant_id = module.tenant_id AND snapshot.module_id = module.id
         WHERE module.tenant_id = ${tx.tenantId}
           AND (${isSince(sql`module.xmin`, since)} OR ${isSince(sql`snapshot.xmin`, since)})
      ) changed ON true`.execute(tx.sql);
  const { server, oldest, count, held_ids: heldIds } = rows[0]!;
  return {
    ...{ mark: { server, oldest }, count, heldIds },
    rows: rows.flatMap(({ server: _, oldest: __, count: ___, held_ids: ____, ...row }) =>
      isRow(row) ? [{ ...row, content_hash: row.content_hash?.toString('hex') ?? null }] : [],
    ),
  };
}

/** Entries of every kind. */
export async function listChangedEntries(tx: TenantTx, mark: LookupMark): Promise<ChangedRows<LookupEntry>> {
  const counts = ENTRY_TYPES.map(
    (table) => sql`(SELECT count(*) FROM ${sql.table(table)} WHERE tenant_id = ${tx.tenantId})`,
  );
  const changed = entriesWhere(sql`tenant_id = ${tx.tenantId} AND ${isSince(sql`xmin`, mark)}`);
  const { rows } = await sql<{ count: number } & LookupEntry>`
    SELECT counted.count, changed.*
      FROM (SELECT (${sql.join(counts, sql` + `)})::int AS count) counted
      LEFT JOIN (${changed}) changed ON true`.execute(tx.sql);
  return {
    count: rows[0]!.count,
    rows: rows.flatMap(({ count: _, ...row }) => (isRow(row) ? [row] : [])),
  };
}

/** The number of a transaction, which is kept in 32 bits, is compared by how long ago it was. That of the moment is computed once, and not for each row. */
function isSince(writer: RawBuilder<unknown>, { oldest }: LookupMark): RawBuilder<boolean> {
  return sql<boolean>`age(${writer}) <= (SELECT age(${oldest}::xid8::xid))`;
}

/** Where nothing has changed, the one row has the count alone. */
function isRow(row: { readonly id: string | null }): boolean {
  return row.id !== null;
}
