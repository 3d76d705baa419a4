import { sql } from 'kysely';
import type { SystemTx } from '../database/database.ts';

/** Notes that a key or a session is used now. Skips a row that is being changed: it is only a hint, and no request may wait for it. */
export async function noteUse(
  tx: SystemTx,
  table: 'api_key' | 'browser_session',
  tenantId: string,
  id: string,
): Promise<void> {
  await sql`
    UPDATE ${sql.table(table)} SET last_used_at = now()
     WHERE tenant_id = ${tenantId} AND id IN (
       SELECT id FROM ${sql.table(table)} WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE SKIP LOCKED)`.execute(
    tx.sql,
  );
}
