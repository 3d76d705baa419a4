import { createHash } from 'node:crypto';
import type { Finding } from '../api/revisions.ts';
import type { TenantTx } from './database/database.ts';

/** What was last collected of a module: a table labelled with entry ids. */
export interface Snapshot {
  readonly content_hash: string;
  readonly collected_at: string;
  /** Which entries contributed, as `id version,id version…` in ascending order; null: nothing of it changes by itself. */
  readonly entries: string | null;
  readonly warnings: readonly Finding[];
}

/** What a snapshot holds beside its table. */
export type SnapshotNotes = Pick<Snapshot, 'entries' | 'warnings'>;

export function hashOfEntries(entries: string | null): string | null {
  return entries === null ? null : createHash('sha256').update(entries).digest('hex');
}

export async function findSnapshot(tx: TenantTx, moduleId: string): Promise<Snapshot | null> {
  const row = await tx.sql
    .selectFrom('snapshot')
    .leftJoin('entry_list', (join) =>
      join
        .onRef('entry_list.tenant_id', '=', 'snapshot.tenant_id')
        .onRef('entry_list.hash', '=', 'snapshot.entries_hash'),
    )
    .select(['content_hash', 'collected_at', 'entry_list.entries', 'warnings'])
    .where('snapshot.tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, content_hash: row.content_hash.toString('hex') };
}

/** Puts the table of this hash, stored before, in the place of the module's last snapshot. */
export async function saveSnapshot(
  tx: TenantTx,
  moduleId: string,
  contentHash: string,
  { entries, warnings }: SnapshotNotes = { entries: null, warnings: [] },
): Promise<void> {
  const content_hash = Buffer.from(contentHash, 'hex');
  const notes = {
    entries_hash: entries === null ? null : await storeEntries(tx, entries),
    warnings: JSON.stringify(warnings),
  };
  await tx.sql
    .insertInto('snapshot')
    .values({ tenant_id: tx.tenantId, module_id: moduleId, content_hash, ...notes })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'module_id'])
        .doUpdateSet({ content_hash, ...notes, collected_at: (eb) => eb.fn('now') }),
    )
    .execute();
}

async function storeEntries(tx: TenantTx, entries: string): Promise<Buffer> {
  const hash = Buffer.from(hashOfEntries(entries)!, 'hex');
  await tx.sql
    .insertInto('entry_list')
    .values({ tenant_id: tx.tenantId, hash, entries })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return hash;
}

/** What the snapshots of all enabled modules have to tell, oldest module first. */
export async function listSnapshotWarnings(tx: TenantTx): Promise<Finding[]> {
  const rows = await tx.sql
    .selectFrom('snapshot')
    .innerJoin('module', (join) =>
      join.onRef('module.tenant_id', '=', 'snapshot.tenant_id').onRef('module.id', '=', 'snapshot.module_id'),
    )
    .select('warnings')
    .where('snapshot.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .orderBy('module.id')
    .execute();
  return rows.flatMap(({ warnings }) => warnings);
}
