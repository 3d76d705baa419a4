import { type RawBuilder, sql } from 'kysely';
import { asSystem, type TenantTx } from '../database/database.ts';
import type { Removal } from '../removal.ts';
import { CHANGES_ATTRIBUTES } from './attribute-changes.ts';

/** Which records a prune removes. */
export interface OldRecords {
  readonly days: number;
  /** Changes since then of what speakers announce routes with stay; null: none has to. */
  readonly unsentSince: string | null;
}

export async function estimateAuditPrune(tx: TenantTx, which: OldRecords): Promise<Removal> {
  const { rows } = await sql<{ count: string; bytes: string; names: string[] }>`
    WITH old AS (${oldRecords(tx.tenantId, which)})
    SELECT (SELECT count(*) FROM old) AS count,
           (SELECT coalesce(sum(bytes), 0) FROM old) AS bytes,
           (SELECT coalesce(array_agg(name ORDER BY at, id), '{}')
              FROM (SELECT at, id, name FROM old ORDER BY at, id LIMIT 100) first) AS names`.execute(tx.sql);
  const { count, bytes, names } = rows[0]!;
  return { count: Number(count), bytes: Number(bytes), names };
}

/** Removes at most this many, the oldest first. Only the service removes records, never a tenant itself. */
export async function pruneAudit(tx: TenantTx, which: OldRecords, most: number): Promise<Removal> {
  const { tenantId } = tx;
  const { rows } = await asSystem(tx, (system) =>
    sql<{ at: string; id: string; name: string; bytes: number }>`
      WITH old AS (${oldRecords(tenantId, which)} ORDER BY at, id LIMIT ${most})
      DELETE FROM audit_record record USING old WHERE record.tenant_id = ${tenantId} AND record.id = old.id
      RETURNING old.at, old.id, old.name, old.bytes`.execute(system.sql),
  );
  const names = rows
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id))
    .map(({ name }) => name);
  return { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.bytes, 0), names };
}

/**
 * Where the log is sent to a portal, records that it has not accepted yet stay. So does what says of changed next hops which ones a speaker
 * announces, until an apply has brought it others.
 */
function oldRecords(tenant: string, { days, unsentSince }: OldRecords): RawBuilder<unknown> {
  return sql`
    SELECT record.at, record.id, rfc3339(record.at) || ' ' || record.action AS name, pg_column_size(record.*) AS bytes
      FROM audit_record record
     WHERE record.tenant_id = ${tenant}
       AND record.at < now() - make_interval(days => ${days}::int)
       AND (record.at > ${unsentSince}::timestamptz AND ${CHANGES_ATTRIBUTES}) IS NOT TRUE
       AND NOT (EXISTS (SELECT FROM audit_delivery WHERE audit_delivery.tenant_id = ${tenant})
                AND EXISTS (SELECT FROM audit_outbox unsent
                             WHERE unsent.tenant_id = ${tenant} AND unsent.record_id = record.id
                               AND unsent.refused_at IS NULL))`;
}
