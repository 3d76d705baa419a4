/** Which communities the entries of a module carried when revisions were built: rows that revisions share by their hash. */
import { hash as digest } from 'node:crypto';
import type { StoredGroup } from '../columns/column-shapes.ts';
import type { TenantTx } from '../database/database.ts';

export function hashOfGroups(groups: readonly StoredGroup[]): string {
  return digest('sha256', JSON.stringify(groups));
}

/** Stores the groups of these hashes that are not stored yet. @param stored hashes of groups that are stored for sure */
export async function storePolicies(
  tx: TenantTx,
  groupsByHash: ReadonlyMap<string, readonly StoredGroup[]>,
  stored: ReadonlySet<string> = new Set(),
): Promise<void> {
  const unsure = [...groupsByHash].filter(([hash]) => !stored.has(hash));
  if (unsure.length === 0) return;
  const hashes = unsure.map(([hash]) => hash);
  const known = await listKnown(tx, hashes);
  const rows = unsure.filter(([hash]) => !known.has(hash));
  if (rows.length === 0) return;
  await tx.sql
    .insertInto('module_policy')
    .values(
      rows.map(([hash, groups]) => ({
        tenant_id: tx.tenantId,
        hash: Buffer.from(hash, 'hex'),
        groups: JSON.stringify(groups),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The groups of the hash; null: they are not stored. */
export async function findPolicy(tx: TenantTx, hash: string): Promise<readonly StoredGroup[] | null> {
  const row = await tx.sql
    .selectFrom('module_policy')
    .select('groups')
    .where('tenant_id', '=', tx.tenantId)
    .where('hash', '=', Buffer.from(hash, 'hex'))
    .executeTakeFirst();
  return row?.groups ?? null;
}

async function listKnown(tx: TenantTx, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql
    .selectFrom('module_policy')
    .select('hash')
    .where('tenant_id', '=', tx.tenantId)
    .where(
      'hash',
      'in',
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .execute();
  return new Set(rows.map(({ hash }) => hash.toString('hex')));
}
