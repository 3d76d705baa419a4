import { sql } from 'kysely';
import type { TenantTx } from './database.ts';

/**
 * Runs `work` in the transaction as another tenant: for super roles, to see what a change of that tenant does there. Row level security
 * shows `work` that tenant alone. The asker's tenant is restored afterwards.
 */
export async function asTenant<T>(
  tx: TenantTx,
  tenantId: string,
  work: (tx: TenantTx) => Promise<T>,
): Promise<T> {
  const enter = (id: string) => sql`SELECT set_config('app.tenant_id', ${id}, true)`.execute(tx.sql);
  await enter(tenantId);
  const own = tx.ownAddresses === undefined ? {} : { ownAddresses: tx.ownAddresses };
  try {
    return await work({ tenantId, sql: tx.sql, ...own, memo: new Map() });
  } finally {
    // A transaction that a statement has broken takes no other one, and ends as none of anybody.
    await enter(tx.tenantId).catch(() => undefined);
  }
}
