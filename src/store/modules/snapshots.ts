import { createHash } from 'node:crypto';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../database/database.ts';

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

/** A snapshot to go on from, and the entries in it of which nothing was accepted. */
export interface GoodSnapshot extends Snapshot {
  readonly left_out: readonly string[];
}

/**
 * What stays of a module when an entry of it cannot be read: its latest snapshot; while it is held for that, what was accepted before.
 * Null: there is nothing.
 */
export async function findGoodSnapshot(tx: TenantTx, moduleId: string): Promise<GoodSnapshot | null> {
  const latest = await findSnapshot(tx, moduleId);
  if (latest === null) return null;
  const accepted = await findAccepted(tx, moduleId);
  const held = await tx.sql
    .selectFrom('held_snapshot')
    .select('content_hash')
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .executeTakeFirst();
  if (held?.content_hash.toString('hex') === latest.content_hash) return accepted;
  return accepted?.content_hash === latest.content_hash
    ? { ...latest, left_out: accepted.left_out }
    : { ...latest, left_out: [] };
}

async function findAccepted(tx: TenantTx, moduleId: string): Promise<GoodSnapshot | null> {
  const row = await tx.sql
    .selectFrom('accepted_snapshot as accepted')
    .leftJoin('entry_list', (join) =>
      join
        .onRef('entry_list.tenant_id', '=', 'accepted.tenant_id')
        .onRef('entry_list.hash', '=', 'accepted.entries_hash'),
    )
    .select(['content_hash', 'accepted_at as collected_at', 'entry_list.entries', 'warnings', 'left_out'])
    .where('accepted.tenant_id', '=', tx.tenantId)
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
    entries_hash: entries === null ? null : Buffer.from(await storeEntries(tx, entries), 'hex'),
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

/** Stores a list of entries. @returns its hash */
export async function storeEntries(tx: TenantTx, entries: string): Promise<string> {
  const hex = hashOfEntries(entries)!;
  const hash = Buffer.from(hex, 'hex');
  await tx.sql
    .insertInto('entry_list')
    .values({ tenant_id: tx.tenantId, hash, entries })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return hex;
}

/** Hash of the list of entries of each module's latest snapshot, by module; those of which nothing changes by itself are missing. */
export async function listEntriesHashes(tx: TenantTx): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.sql
    .selectFrom('snapshot')
    .select(['module_id', 'entries_hash'])
    .where('tenant_id', '=', tx.tenantId)
    .execute();
  return new Map(
    rows.flatMap(({ module_id, entries_hash: hash }) =>
      hash === null ? [] : [[module_id, hash.toString('hex')] as const],
    ),
  );
}

/**
 * What the snapshots of all enabled modules have to tell, oldest module first.
 * @param held modules of which the last accepted one counts, not the latest
 */
export async function listSnapshotWarnings(tx: TenantTx, held: ReadonlySet<string>): Promise<Finding[]> {
  const rows = await tx.sql
    .selectFrom('snapshot')
    .innerJoin('module', (join) =>
      join.onRef('module.tenant_id', '=', 'snapshot.tenant_id').onRef('module.id', '=', 'snapshot.module_id'),
    )
    .leftJoin('accepted_snapshot as accepted', (join) =>
      join.onRef('accepted.tenant_id', '=', 'module.tenant_id').onRef('accepted.module_id', '=', 'module.id'),
    )
    .select(['module.id', 'snapshot.warnings', 'accepted.warnings as accepted'])
    .where('snapshot.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .orderBy('module.id')
    .execute();
  return rows.flatMap(({ id, warnings, accepted }) => (held.has(id) ? (accepted ?? []) : warnings));
}
