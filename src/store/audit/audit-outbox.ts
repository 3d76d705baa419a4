/**
 * The records that the portal has not been sent, and who sends them. One process at a time sends for a tenant, by a lease that goes
 * by the clock of the database.
 *
 * The order is that of transactions, and within one that of its records: what was committed before another change began is always
 * sent before it. A record is only handed out once no transaction runs any more that could still come before it; such a one would
 * otherwise be overtaken.
 */
import { sql } from 'kysely';
import type { AuditRecord } from '../../api/activity/audit.ts';
import { AUDIT_COLUMNS, presentAuditRecord } from './audit.ts';
import type { SystemTx } from '../database/database.ts';

export interface AuditClaim {
  readonly tenantId: string;
  /** Attempts that have failed one after the other. */
  readonly failures: number;
}

/**
 * Claims tenants with something to send whose next attempt is due and whom nobody else serves; those first that have waited
 * longest. The holder must have ended its earlier turns: one that broke off is taken up again.
 */
export async function claimAuditDeliveries(
  tx: SystemTx,
  holder: string,
  seconds: number,
  limit: number,
): Promise<AuditClaim[]> {
  const { rows } = await sql<{ tenant_id: string; failures: number }>`
    INSERT INTO audit_delivery AS delivery (tenant_id, holder, lease_expires_at)
    SELECT t.id, ${holder}::uuid, clock_timestamp() + make_interval(secs => ${seconds})
      FROM tenant t LEFT JOIN audit_delivery d ON d.tenant_id = t.id
     WHERE EXISTS (SELECT FROM audit_outbox o WHERE o.tenant_id = t.id AND o.refused_at IS NULL)
       AND (d.tenant_id IS NULL OR d.holder = ${holder}::uuid
            OR (d.lease_expires_at <= clock_timestamp() AND d.next_attempt_at <= clock_timestamp()))
     ORDER BY d.lease_expires_at NULLS FIRST, t.id
     LIMIT ${limit}
    ON CONFLICT (tenant_id) DO UPDATE
       SET holder = excluded.holder, lease_expires_at = excluded.lease_expires_at
     WHERE delivery.holder = excluded.holder
        OR (delivery.lease_expires_at <= clock_timestamp() AND delivery.next_attempt_at <= clock_timestamp())
    RETURNING tenant_id, failures`.execute(tx.sql);
  return rows.map(({ tenant_id: tenantId, failures }) => ({ tenantId, failures }));
}

/** What the portal is told of a record beside the record itself. */
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
    // What comes after every transaction that there is was brought here from another server.
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

/** Whose turn it is. */
export interface AuditTurn {
  readonly tenantId: string;
  readonly holder: string;
  /** By which the lease is renewed. */
  readonly seconds: number;
}

/**
 * The portal has the record.
 * @returns false when somebody else sends for the tenant by now: then stop
 */
export async function noteAuditSent(tx: SystemTx, turn: AuditTurn, recordId: string): Promise<boolean> {
  await tx.sql
    .deleteFrom('audit_outbox')
    .where('tenant_id', '=', turn.tenantId)
    .where('record_id', '=', recordId)
    .execute();
  return renew(tx, turn);
}

/** Keeps a record that the portal will never take, and takes it out of the queue; answers as {@link noteAuditSent}. */
export async function noteAuditRefused(
  tx: SystemTx,
  turn: AuditTurn,
  recordId: string,
  refusal: string,
): Promise<boolean> {
  await tx.sql
    .updateTable('audit_outbox')
    .set({ refused_at: sql<string>`clock_timestamp()`, refusal })
    .where('tenant_id', '=', turn.tenantId)
    .where('record_id', '=', recordId)
    .execute();
  return renew(tx, turn);
}

async function renew(tx: SystemTx, { tenantId, holder, seconds }: AuditTurn): Promise<boolean> {
  const renewed = await tx.sql
    .updateTable('audit_delivery')
    .set({
      lease_expires_at: sql<string>`clock_timestamp() + make_interval(secs => ${seconds})`,
      failures: 0,
      last_error: null,
    })
    .where('tenant_id', '=', tenantId)
    .where('holder', '=', holder)
    .returning('tenant_id')
    .executeTakeFirst();
  return renewed !== undefined;
}

/** Ends the turn after a failure: nobody tries again before `delaySeconds` have passed. */
export async function postponeAuditDelivery(
  tx: SystemTx,
  { tenantId, holder }: AuditTurn,
  delaySeconds: number,
  error: string,
): Promise<void> {
  await tx.sql
    .updateTable('audit_delivery')
    .set((eb) => ({
      holder: null,
      lease_expires_at: sql<string>`clock_timestamp()`,
      next_attempt_at: sql<string>`clock_timestamp() + make_interval(secs => ${delaySeconds})`,
      failures: eb('failures', '+', 1),
      last_error: error,
    }))
    .where('tenant_id', '=', tenantId)
    .where('holder', '=', holder)
    .execute();
}

/** Ends the turn, so that anybody may have the next at once. */
export async function releaseAuditDelivery(
  tx: SystemTx,
  { tenantId, holder }: Pick<AuditTurn, 'tenantId' | 'holder'>,
): Promise<void> {
  await tx.sql
    .updateTable('audit_delivery')
    .set({ holder: null, lease_expires_at: sql<string>`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('holder', '=', holder)
    .execute();
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
