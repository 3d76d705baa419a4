import { sql } from 'kysely';
import type { TenantTx } from './database.ts';

/** Waits for the tenant's lock of this name, which is held until the transaction ends. */
export async function lockTenant(
  tx: TenantTx,
  name:
    | 'revision'
    | 'refresh'
    | 'keys'
    | 'settings'
    | 'events'
    | 'bundles'
    | 'peers'
    | 'reload'
    | 'policies'
    | 'changes',
): Promise<void> {
  const key = `${tx.tenantId} ${name}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql);
}

/** {@link lockTenant} for one resource: its changes are serialised, so that its audit log has every state once. */
export async function lockAudited(tx: TenantTx, resource: string): Promise<void> {
  const key = `${tx.tenantId} audit ${resource}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql);
}
