/**
 * The records that were not sent to the portal yet, and who sends them. One process at a time sends for a tenant, by a lease on the
 * database's clock.
 *
 * Records are sent in the order of transactions, and within one in the order of its records: what was committed before another change began
 * is always sent before it. A record is sent only when no running transaction could still add an earlier one.
 */
import { sql, type SqlBool } from 'kysely';
import type { AuditRecord } from '../../api/activity/audit.ts';
import { AUDIT_COLUMNS, presentAuditRecord } from './audit.ts';
import type { SystemTx } from '../database/database.ts';
import {
  isClaimable,
  postponeTurn,
  releaseTurn,
  renewTurn,
  type DeliveryHolder,
  type Receiver,
} from '../delivery-turns.ts';

export interface AuditClaim {
  readonly tenantId: string;
  /** Consecutive failed attempts. */
  readonly failures: number;
}

/**
 * Claims tenants with records to send whose next attempt is due and whom no other process serves; those that have waited longest come
 * first.
 * @param busy tenants that the holder serves; for others, its earlier turn was interrupted
 */
export async function claimAuditDeliveries(
  tx: SystemTx,
  holder: DeliveryHolder,
  busy: readonly string[],
  limit: number,
): Promise<AuditClaim[]> {
  const { rows } = await sql<{ tenant_id: string; failures: number }>`
    INSERT INTO audit_delivery AS delivery (tenant_id, holder, lease_expires_at)
    SELECT t.id, ${holder.id}::uuid, clock_timestamp() + make_interval(secs => ${holder.seconds})
      FROM tenant t LEFT JOIN audit_delivery d ON d.tenant_id = t.id
     WHERE EXISTS (SELECT FROM audit_outbox o WHERE o.tenant_id = t.id AND o.refused_at IS NULL)
       AND t.id <> ALL (${[...busy]}::uuid[])
       AND (d.tenant_id IS NULL OR ${isClaimable('d', holder)})
     ORDER BY d.lease_expires_at NULLS FIRST, t.id
     LIMIT ${limit}
    ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, lease_expires_at = excluded.lease_expires_at
     WHERE ${isClaimable('delivery', holder)}
    RETURNING tenant_id, failures`.execute(tx.sql);
  return rows.map(({ tenant_id: tenantId, failures }) => ({ tenantId, failures }));
}

/** What the portal is sent about a record, beside the record itself. */
export interface UnsentRecord {
  readonly tenant: { readonly id: string; readonly slug: string };
  readonly record: AuditRecord;
}

/** The next records to send, in order. */
export async function readUnsentAudit(
  tx: SystemTx,
  tenantId: string,
  limit: number,
): Promise<UnsentRecord[]> {
  const rows = await tx.sql
    .selectFrom('audit_outbox as o')
    .innerJoin('audit_record as r', (join) =>
      join.onRef('r.tenant_id', '=', 'o.tenant_id').onRef('r.id', '=', 'o.record_id'),
    )
    .innerJoin('tenant as t', 't.id', 'o.tenant_id')
    .select(AUDIT_COLUMNS.map((column) => `r.${column}` as const))
    .select(['t.id as tenant_id', 't.slug'])
    .where('o.tenant_id', '=', tenantId)
    .where('o.refused_at', 'is', null)
    // A later transaction id than any present one came from another server.
    .where(
      sql<boolean>`(o.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
                    OR o.transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))`,
    )
    .orderBy('o.transaction_id')
    .orderBy('o.sequence')
    .limit(limit)
    .execute();
  return rows.map(({ tenant_id: id, slug, ...row }) => ({
    tenant: { id, slug },
    record: presentAuditRecord(row),
  }));
}

const receiver = (tenantId: string): Receiver => ({
  table: 'audit_delivery',
  where: sql<SqlBool>`tenant_id = ${tenantId}::uuid`,
});

/** The portal has accepted the record; returns the same as {@link renewTurn}. */
export async function noteAuditSent(
  tx: SystemTx,
  tenantId: string,
  holder: DeliveryHolder,
  recordId: string,
): Promise<boolean> {
  await tx.sql
    .deleteFrom('audit_outbox')
    .where('tenant_id', '=', tenantId)
    .where('record_id', '=', recordId)
    .execute();
  return renewTurn(tx, receiver(tenantId), holder);
}

/** Keeps a record that the portal refused for good, and removes it from the queue; returns the same as {@link renewTurn}. */
export async function noteAuditRefused(
  tx: SystemTx,
  tenantId: string,
  holder: DeliveryHolder,
  recordId: string,
  refusal: string,
): Promise<boolean> {
  await tx.sql
    .updateTable('audit_outbox')
    .set({ refused_at: sql<string>`clock_timestamp()`, refusal })
    .where('tenant_id', '=', tenantId)
    .where('record_id', '=', recordId)
    .execute();
  return renewTurn(tx, receiver(tenantId), holder);
}

/** Ends the turn after a failure: there is no retry before `seconds` have passed. */
export async function postponeAuditDelivery(
  tx: SystemTx,
  tenantId: string,
  holder: DeliveryHolder,
  seconds: number,
  error: string,
): Promise<void> {
  await postponeTurn(tx, receiver(tenantId), holder, { seconds, error });
}

/** Ends the turn, so that any process may have the next one at once. */
export function releaseAuditDelivery(tx: SystemTx, tenantId: string, holder: DeliveryHolder): Promise<void> {
  return releaseTurn(tx, receiver(tenantId), holder);
}

export interface AuditBacklog {
  readonly unsent: number;
  readonly refused: number;
  /** Age of the oldest unsent record; 0 when there is none. */
  readonly oldestSeconds: number;
}

export async function readAuditBacklog(tx: SystemTx): Promise<AuditBacklog> {
  const { rows } = await sql<AuditBacklog>`
    SELECT count(*) FILTER (WHERE refused_at IS NULL)::int AS unsent,
           count(refused_at)::int AS refused,
           coalesce(extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE refused_at IS NULL)), 0)::float8
             AS "oldestSeconds"
      FROM audit_outbox`.execute(tx.sql);
  return rows[0]!;
}
