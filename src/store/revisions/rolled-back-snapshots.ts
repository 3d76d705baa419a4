/** What rollbacks took back of modules. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import type { UsedSnapshot } from './revision-history.ts';

/**
 * Writes down that a rollback took these snapshots back. What was accepted of a module that the old revision did not have is
 * accepted no more, nor let through.
 * @param restored modules that the old revision has
 */
export async function saveRolledBack(
  tx: TenantTx,
  takenBack: readonly UsedSnapshot[],
  restored: ReadonlySet<string>,
): Promise<void> {
  if (takenBack.length === 0) return;
  const rows = takenBack.map(({ module_id, content_hash, left_out }) => ({
    module_id,
    content_hash,
    left_out,
  }));
  await sql`
    INSERT INTO rolled_back_snapshot (tenant_id, module_id, content_hash, left_out)
    SELECT ${tx.tenantId}, i.module_id, decode(i.content_hash, 'hex'), i.left_out
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS i (module_id uuid, content_hash text, left_out uuid[])
      JOIN module ON module.tenant_id = ${tx.tenantId} AND module.id = i.module_id
        ON CONFLICT (tenant_id, module_id) DO UPDATE
       SET content_hash = excluded.content_hash, left_out = excluded.left_out`.execute(tx.sql);
  const gone = takenBack.flatMap(({ module_id: id }) => (restored.has(id) ? [] : [id]));
  if (gone.length === 0) return;
  for (const table of ['accepted_snapshot', 'released_snapshot'] as const)
    await tx.sql
      .deleteFrom(table)
      .where('tenant_id', '=', tx.tenantId)
      .where('module_id', 'in', gone)
      .execute();
}

/** Of these contents, those without any prefix. */
export async function listEmptyContents(
  tx: TenantTx,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await tx.sql
    .selectFrom('content')
    .select('content_hash')
    .where('tenant_id', '=', tx.tenantId)
    .where(
      'content_hash',
      'in',
      [...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex')),
    )
    .where('prefix_count_ipv4', '=', 0)
    .where('prefix_count_ipv6', '=', 0)
    .execute();
  return new Set(rows.map(({ content_hash }) => content_hash.toString('hex')));
}

/** What is left of what was taken back of these modules, after entries have left by themselves: they have this content now. */
export async function followRolledBack(
  tx: TenantTx,
  modules: readonly { readonly module_id: string; readonly content_hash: string }[],
): Promise<void> {
  if (modules.length === 0) return;
  await sql`
    UPDATE rolled_back_snapshot taken SET content_hash = decode(i.content_hash, 'hex')
      FROM jsonb_to_recordset(${JSON.stringify(modules)}::jsonb) AS i (module_id uuid, content_hash text)
     WHERE taken.tenant_id = ${tx.tenantId} AND taken.module_id = i.module_id`.execute(tx.sql);
}

/** Other content of these modules was accepted: what was taken back once is a change like any other from here on. */
export async function forgetRolledBack(tx: TenantTx, moduleIds: readonly string[]): Promise<void> {
  if (moduleIds.length === 0) return;
  await tx.sql
    .deleteFrom('rolled_back_snapshot')
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', 'in', moduleIds)
    .execute();
}
