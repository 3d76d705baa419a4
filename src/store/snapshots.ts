import type { TenantTx } from './database.ts';

/** What was last collected of a module: a table labelled with entry ids. */
export interface Snapshot {
  readonly content_hash: string;
  readonly collected_at: string;
}

export async function findSnapshot(tx: TenantTx, moduleId: string): Promise<Snapshot | null> {
  const row = await tx.sql
    .selectFrom('snapshot')
    .select(['content_hash', 'collected_at'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, content_hash: row.content_hash.toString('hex') };
}

/** Puts the table of this hash, stored before, in the place of the module's last snapshot. */
export async function saveSnapshot(tx: TenantTx, moduleId: string, contentHash: string): Promise<void> {
  const content_hash = Buffer.from(contentHash, 'hex');
  await tx.sql
    .insertInto('snapshot')
    .values({ tenant_id: tx.tenantId, module_id: moduleId, content_hash })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'module_id'])
        .doUpdateSet({ content_hash, collected_at: (eb) => eb.fn('now') }),
    )
    .execute();
}
