import { sql } from 'kysely';
import type { TenantTx } from './database.ts';
import { forgetRead } from './read-once.ts';
import { keyOf, type TenantLock } from './tenant-lock.ts';

/** Waits for the tenant's lock of this name, which is held until the transaction ends. */
export async function lockTenant(tx: TenantTx, name: TenantLock): Promise<void> {
  const key = keyOf(tx.tenantId, name);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql);
  forgetRead(tx);
}

/** {@link lockTenant} without waiting. @returns false: somebody else has it */
export async function tryLockTenant(tx: TenantTx, name: TenantLock): Promise<boolean> {
  const key = keyOf(tx.tenantId, name);
  const { rows } = await sql<{ is_ours: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS is_ours`.execute(tx.sql);
  forgetRead(tx);
  return rows[0]!.is_ours;
}

/**
 * {@link lockTenant} for resources: changes of each are serialised, so that its audit log has every state once. Several are locked in one
 * order, whatever the order of the names.
 */
export async function lockAudited(tx: TenantTx, resources: readonly string[]): Promise<void> {
  const keys = resources.map((resource) => `${tx.tenantId} audit ${resource}`).sort();
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended(key, 0))
    FROM unnest(${keys}::text[]) WITH ORDINALITY AS named (key, place) ORDER BY place`.execute(tx.sql);
  forgetRead(tx);
}
