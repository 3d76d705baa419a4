import { createHash } from 'node:crypto';
import { sql } from 'kysely';
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
  const { rows } = await sql<BothSnapshots>`
    SELECT s.content_hash, s.collected_at, s.warnings, latest_list.entries,
           h.content_hash AS held_hash,
           a.content_hash AS accepted_hash, a.accepted_at, a.warnings AS accepted_warnings,
           accepted_list.entries AS accepted_entries, a.left_out
      FROM snapshot s
      LEFT JOIN entry_list latest_list ON latest_list.tenant_id = s.tenant_id AND latest_list.hash = s.entries_hash
      LEFT JOIN held_snapshot h ON h.tenant_id = s.tenant_id AND h.module_id = s.module_id
      LEFT JOIN accepted_snapshot a ON a.tenant_id = s.tenant_id AND a.module_id = s.module_id
      LEFT JOIN entry_list accepted_list
        ON accepted_list.tenant_id = a.tenant_id AND accepted_list.hash = a.entries_hash
     WHERE s.tenant_id = ${tx.tenantId} AND s.module_id = ${moduleId}`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) return null;
  const { collected_at, entries, warnings } = row;
  const latest = { content_hash: row.content_hash.toString('hex'), collected_at, entries, warnings };
  const acceptedHash = row.accepted_hash?.toString('hex');
  if (row.held_hash?.toString('hex') !== latest.content_hash)
    return { ...latest, left_out: acceptedHash === latest.content_hash ? row.left_out! : [] };
  if (acceptedHash === undefined) return null;
  return {
    content_hash: acceptedHash,
    collected_at: row.accepted_at!,
    entries: row.accepted_entries,
    warnings: row.accepted_warnings!,
    left_out: row.left_out!,
  };
}

/** The latest snapshot of a module, and what was accepted of it, if anything. */
interface BothSnapshots extends Omit<Snapshot, 'content_hash'> {
  readonly content_hash: Buffer;
  readonly held_hash: Buffer | null;
  readonly accepted_hash: Buffer | null;
  readonly accepted_at: string | null;
  readonly accepted_warnings: readonly Finding[] | null;
  readonly accepted_entries: string | null;
  readonly left_out: readonly string[] | null;
}

/**
 * Puts the table of this hash, stored before, in the place of the module's last snapshot.
 * @param stored a list of entries that is stored for sure, such as that of the last snapshot
 */
export async function saveSnapshot(
  tx: TenantTx,
  moduleId: string,
  contentHash: string,
  { entries, warnings }: SnapshotNotes = { entries: null, warnings: [] },
  stored: string | null = null,
): Promise<void> {
  const content_hash = Buffer.from(contentHash, 'hex');
  if (entries !== null && entries !== stored) await storeEntries(tx, entries);
  const entriesHash = hashOfEntries(entries);
  const notes = {
    entries_hash: entriesHash === null ? null : Buffer.from(entriesHash, 'hex'),
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
