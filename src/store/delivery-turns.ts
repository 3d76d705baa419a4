/**
 * Who sends queued deliveries to a receiver: one process at a time, by a lease on the database's clock. Tables of receivers have the same
 * columns for it.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { SystemTx, TenantTx } from './database/database.ts';

/** A process that sends, and how long its claims hold. */
export interface DeliveryHolder {
  readonly id: string;
  readonly seconds: number;
}

export interface Receiver {
  readonly table: 'audit_delivery' | 'webhook_turn';
  /** Its row. */
  readonly where: RawBuilder<SqlBool>;
}

type Tx = Pick<SystemTx | TenantTx, 'sql'>;

/** Columns that claim a receiver. */
export function claimed({ id, seconds }: DeliveryHolder): RawBuilder<unknown> {
  return sql`holder = ${id}::uuid, lease_expires_at = clock_timestamp() + make_interval(secs => ${seconds})`;
}

/** Whether a receiver can be claimed: it is due and no other process serves it, or the holder's own earlier turn was interrupted. */
export function isClaimable(table: string, { id }: DeliveryHolder): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<SqlBool>`(${column('holder')} = ${id}::uuid
    OR (${column('lease_expires_at')} <= clock_timestamp() AND ${column('next_attempt_at')} <= clock_timestamp()))`;
}

/**
 * After a success.
 * @returns false when another process serves the receiver by then, or it was deleted
 */
export async function renewTurn(
  tx: Tx,
  { table, where }: Receiver,
  holder: DeliveryHolder,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE ${sql.table(table)} SET ${claimed(holder)}, failures = 0, last_error = NULL, failing_since = NULL
     WHERE ${where} AND holder = ${holder.id}::uuid`.execute(tx.sql);
  return numAffectedRows === 1n;
}

/**
 * Ends the turn after a failure: there is no retry before `seconds` have passed.
 * @returns how many seconds it has failed for; null when another process serves the receiver by then, or it was deleted
 */
export async function postponeTurn(
  tx: Tx,
  { table, where }: Receiver,
  { id }: DeliveryHolder,
  { seconds, error }: { readonly seconds: number; readonly error: string },
): Promise<number | null> {
  const { rows } = await sql<{ failing: number }>`
    UPDATE ${sql.table(table)}
       SET holder = NULL, lease_expires_at = clock_timestamp(), failures = failures + 1, last_error = ${error},
           next_attempt_at = clock_timestamp() + make_interval(secs => ${seconds}),
           failing_since = coalesce(failing_since, clock_timestamp())
     WHERE ${where} AND holder = ${id}::uuid
    RETURNING extract(epoch FROM clock_timestamp() - failing_since)::float8 AS failing`.execute(tx.sql);
  return rows[0]?.failing ?? null;
}

/** Ends the turn, so that any process may have the next one at once. */
export async function releaseTurn(tx: Tx, { table, where }: Receiver, { id }: DeliveryHolder): Promise<void> {
  await sql`
    UPDATE ${sql.table(table)} SET holder = NULL, lease_expires_at = clock_timestamp()
     WHERE ${where} AND holder = ${id}::uuid`.execute(tx.sql);
}
