/** Nodes that nothing lets in any more: whatever waits for one waits for somebody to enroll it again. */
import { sql, type RawBuilder } from 'kysely';
import type { TenantTx } from '../database/database.ts';

/** Whether the speaker's node had a key, and has none that works, as after it was revoked. @param speaker name of the table in the query */
export function isLockedOut(speaker: string): RawBuilder<boolean> {
  const [tenant, id] = [sql.ref(`${speaker}.tenant_id`), sql.ref(`${speaker}.id`)];
  return sql<boolean>`(
    SELECT count(*) > 0 AND count(*) FILTER (WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) = 0
      FROM api_key k WHERE k.tenant_id = ${tenant} AND k.speaker_id = ${id})`;
}

/** Those of these speakers whose node is locked out. */
export async function listLockedOut(tx: TenantTx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ readonly id: string }>`
    SELECT speaker.id FROM speaker
     WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.id = ANY(${[...ids]}::uuid[])
       AND ${isLockedOut('speaker')}`.execute(tx.sql);
  return new Set(rows.map(({ id }) => id));
}
