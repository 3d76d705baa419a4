import { sql } from 'kysely';
import type { TenantTx } from './database.ts';
import { forgetRead } from './read-once.ts';

type TenantLock =
  'revision' | 'refresh' | 'keys' | 'settings' | 'events' | 'bundles' | 'peers' | 'reload' | 'policies';

/** Waits for the tenant's lock of this name, which is held until the transaction ends. */
export async function lockTenant(tx: TenantTx, name: TenantLock): Promise<void> {
  const key = `${tx.tenantId} ${name}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql);
  forgetRead(tx);
}

/** {@link lockTenant} without waiting. @returns false: somebody else has it */
export async function tryLockTenant(tx: TenantTx, name: TenantLock): Promise<boolean> {
  const key = `${tx.tenantId} ${name}`;
  const { rows } = await sql<{ is_ours: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS is_ours`.execute(tx.sql);
  forgetRead(tx);
  return rows[0]!.is_ours;
}

/** {@link lockTenant} for one resource: its changes are serialised, so that its audit log has every state once. */
export async function lockAudited(tx: TenantTx, resource: string): Promise<void> {
  const key = `${tx.tenantId} audit ${resource}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql);
  forgetRead(tx);
}
