import { sql } from 'kysely';
import type { TenantTx } from './database.ts';

/** Waits until no other transaction of the tenant holds the lock of this name; it is free again when this one ends. */
export async function lockTenant(tx: TenantTx, name: 'revision' | 'keys' | 'settings'): Promise<void> {
  const key = `${tx.tenantId} ${name}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql);
}
