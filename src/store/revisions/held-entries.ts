/** Entries that were switched off or deleted while their module was held, and what was accepted of them before. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

export interface HeldEntry {
  /** As in lists of entries: `id version`. */
  readonly entry: string;
  /** What was accepted of it last is in this content. */
  readonly content_hash: string;
}

/** One that is remembered already stays so: nothing of it was accepted since. */
export async function rememberHeldEntries(
  tx: TenantTx,
  moduleId: string,
  entries: readonly HeldEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ entry, content_hash }) => {
    const [entry_id, version] = entry.split(' ');
    return { entry_id, version: Number(version), content_hash };
  });
  await sql`
    INSERT INTO entry_before_hold (tenant_id, module_id, entry_id, version, content_hash)
    SELECT ${tx.tenantId}, ${moduleId}, i.entry_id, i.version, decode(i.content_hash, 'hex')
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS i (entry_id uuid, version integer, content_hash text)
        ON CONFLICT DO NOTHING`.execute(tx.sql);
}

/** Something of them was accepted, or they are read in another way. @param ids of the entries */
export async function forgetHeldEntries(
  tx: TenantTx,
  moduleId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.sql
    .deleteFrom('entry_before_hold')
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .where('entry_id', 'in', [...ids])
    .execute();
}
