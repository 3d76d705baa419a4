import { type RawBuilder, sql } from 'kysely';
import { asSystem, type TenantTx } from '../database/database.ts';
import type { Removal } from '../removal.ts';

export async function estimateAuditPrune(tx: TenantTx, days: number): Promise<Removal> {
  const { rows } = await sql<{ count: string; bytes: string; names: string[] }>`
    WITH old AS (${oldRecords(tx.tenantId, days)})
    SELECT (SELECT count(*) FROM old) AS count,
           (SELECT coalesce(sum(bytes), 0) FROM old) AS bytes,
           (SELECT coalesce(array_agg(name ORDER BY at, id), '{}')
              FROM (SELECT at, id, name FROM old ORDER BY at, id LIMIT 100) first) AS names`.execute(tx.sql);
  const { count, bytes, names } = rows[0]!;
  return { count: Number(count), bytes: Number(bytes), names };
}

/** Removes at most this many, the oldest first. Only the service removes records, never a tenant itself. */
export async function pruneAudit(tx: TenantTx, days: number, most: number): Promise<Removal> {
  const { tenantId } = tx;
  const { rows } = await asSystem(tx, (system) =>
    sql<{ at: string; id: string; name: string; bytes: number }>`
      WITH old AS (${oldRecords(tenantId, days)} ORDER BY at, id LIMIT ${most})
      DELETE FROM audit_record record USING old WHERE record.tenant_id = ${tenantId} AND record.id = old.id
      RETURNING old.at, old.id, old.name, old.bytes`.execute(system.sql),
  );
  const names = rows
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id))
    .map(({ name }) => name);
  return { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.bytes, 0), names };
}

/** Where the log is sent to a portal, records that it has not accepted yet stay. */
function oldRecords(tenant: string, days: number): RawBuilder<unknown> {
  return sql`
    SELECT record.at, record.id, rfc3339(record.at) || ' ' || record.action AS name, pg_column_size(record.*) AS bytes
      FROM audit_record record
     WHERE record.tenant_id = ${tenant}
       AND record.at < now() - make_interval(days => ${days}::int)
       AND NOT (EXISTS (SELECT FROM audit_delivery WHERE audit_delivery.tenant_id = ${tenant})
                AND EXISTS (SELECT FROM audit_outbox unsent
                             WHERE unsent.tenant_id = ${tenant} AND unsent.record_id = record.id
                               AND unsent.refused_at IS NULL))`;
}
