/** API keys and enrollment tokens that work no more. They stay for a while, so that whoever still uses one reads why it is refused. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

/** Of a tenant; no quota counts them. */
const KEPT = 1_000;

/** When those of each kind end, other than by `expires_at`. */
const ENDS = { api_key: 'revoked_at', enrollment_token: 'used_at' } as const;

/** Removes those of the tenant that ended before the last thousand. Asked whenever one is added, so that there are never many more. */
export async function forgetEnded(tx: TenantTx, table: keyof typeof ENDS): Promise<void> {
  const end = sql.ref(ENDS[table]);
  const ended = sql`tenant_id = ${tx.tenantId} AND (${end} IS NOT NULL OR expires_at <= now())`;
  // What somebody else removes or changes at the same time is left to them.
  await sql`
    DELETE FROM ${sql.table(table)} WHERE tenant_id = ${tx.tenantId} AND id IN (
      SELECT id FROM ${sql.table(table)} WHERE ${ended} AND id IN (
        SELECT id FROM ${sql.table(table)} WHERE ${ended} ORDER BY least(${end}, expires_at) DESC, id DESC OFFSET ${KEPT})
      FOR UPDATE SKIP LOCKED)`.execute(tx.sql);
}
