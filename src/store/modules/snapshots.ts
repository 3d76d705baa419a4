import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { LastRefresh } from '../../api/lists/modules.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
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

/** The table of the module's latest snapshot, and how many rows it has; null: it was never refreshed. */
export async function findSnapshotTable(
  tx: TenantTx,
  moduleId: string,
): Promise<{ readonly content_hash: string; readonly rows: number } | null> {
  const row = await tx.sql
    .selectFrom('snapshot')
    .innerJoin('content', (join) =>
      join
        .onRef('content.tenant_id', '=', 'snapshot.tenant_id')
        .onRef('content.content_hash', '=', 'snapshot.content_hash'),
    )
    .select(['snapshot.content_hash', sql<number>`prefix_count_ipv4 + prefix_count_ipv6`.as('rows')])
    .where('snapshot.tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, content_hash: row.content_hash.toString('hex') };
}

/** A snapshot to go on from, and the entries in it of which nothing was accepted. */
export interface GoodSnapshot extends Omit<Snapshot, 'collected_at'> {
  readonly left_out: readonly string[];
}

/** The latest snapshot of a module, and what was accepted of it, if anything; hashes in hexadecimal. */
export interface SnapshotsOfModule {
  readonly hash: string;
  readonly entries: string | null;
  readonly warnings: readonly Finding[];
  readonly held_hash: string | null;
  readonly accepted_hash: string | null;
  readonly accepted_entries: string | null;
  readonly accepted_warnings: readonly Finding[] | null;
  readonly left_out: readonly string[] | null;
}

/** Of a row of `module`, as {@link goodSnapshotOf} takes them. */
export const GOOD_SNAPSHOT = sql<SnapshotsOfModule | null>`
  (SELECT json_build_object(
            'hash', encode(s.content_hash, 'hex'), 'entries', latest_list.entries, 'warnings', s.warnings,
            'held_hash', encode(h.content_hash, 'hex'),
            'accepted_hash', encode(a.content_hash, 'hex'), 'accepted_entries', accepted_list.entries,
            'accepted_warnings', a.warnings, 'left_out', a.left_out)
     FROM snapshot s
     LEFT JOIN entry_list latest_list ON latest_list.tenant_id = s.tenant_id AND latest_list.hash = s.entries_hash
     LEFT JOIN held_snapshot h ON h.tenant_id = s.tenant_id AND h.module_id = s.module_id
     LEFT JOIN accepted_snapshot a ON a.tenant_id = s.tenant_id AND a.module_id = s.module_id
     LEFT JOIN entry_list accepted_list
       ON accepted_list.tenant_id = a.tenant_id AND accepted_list.hash = a.entries_hash
    WHERE s.tenant_id = module.tenant_id AND s.module_id = module.id)`;

/**
 * What stays of a module when an entry of it cannot be read: its latest snapshot; while it is held for that, what was accepted before.
 * Null: there is nothing.
 */
export function goodSnapshotOf(snapshots: SnapshotsOfModule | null): GoodSnapshot | null {
  if (snapshots === null) return null;
  const { hash, entries, warnings, accepted_hash: acceptedHash, left_out } = snapshots;
  if (snapshots.held_hash !== hash)
    return { content_hash: hash, entries, warnings, left_out: acceptedHash === hash ? left_out! : [] };
  if (acceptedHash === null) return null;
  return {
    content_hash: acceptedHash,
    entries: snapshots.accepted_entries,
    warnings: snapshots.accepted_warnings!,
    left_out: left_out!,
  };
}

/** Puts the table of this hash, stored before, in the place of the module's last snapshot. */
export async function saveSnapshot(
  tx: TenantTx,
  moduleId: string,
  contentHash: string,
  { entries, warnings }: SnapshotNotes = { entries: null, warnings: [] },
): Promise<void> {
  if (entries !== null) await storeEntries(tx, entries);
  await upsertSnapshot(tx, moduleId, contentHash, { entries, warnings }).execute(tx.sql);
}

function upsertSnapshot(
  tx: TenantTx,
  moduleId: string,
  contentHash: string,
  { entries, warnings }: SnapshotNotes,
): RawBuilder<unknown> {
  const entriesHash = hashOfEntries(entries);
  return sql`
    INSERT INTO snapshot (tenant_id, module_id, content_hash, entries_hash, warnings)
    VALUES (${tx.tenantId}, ${moduleId}, ${Buffer.from(contentHash, 'hex')},
            ${entriesHash === null ? null : Buffer.from(entriesHash, 'hex')}, ${JSON.stringify(warnings)})
    ON CONFLICT (tenant_id, module_id) DO UPDATE
       SET content_hash = excluded.content_hash, entries_hash = excluded.entries_hash,
           warnings = excluded.warnings, collected_at = now()`;
}

/** What a refresh has brought. */
export interface CollectedSnapshot {
  /** Of the table, stored before. */
  readonly contentHash: string;
  readonly notes: SnapshotNotes;
  /** A list of entries that is stored for sure, such as that of the last snapshot; null: none. */
  readonly storedEntries: string | null;
}

/**
 * Writes down how a refresh ended, and {@link saveSnapshot | puts} what it has brought in place. It is no change by an operator, so the
 * version stays. When the module is due again, the end of the job says (schedule.ts).
 * @param refreshed whether it brought anything; when not, `last_refreshed_at` stays what it was
 * @param collected null: the last snapshot stays
 */
export async function recordRefresh(
  tx: TenantTx,
  id: string,
  last: LastRefresh,
  count: PrefixCount,
  refreshed: boolean,
  collected: CollectedSnapshot | null = null,
): Promise<void> {
  const update = sql`
    UPDATE module
       SET last_refresh = ${JSON.stringify(last)}, prefix_count_ipv4 = ${count.ipv4}, prefix_count_ipv6 = ${count.ipv6},
           last_refreshed_at = CASE WHEN ${refreshed}::boolean THEN now() ELSE last_refreshed_at END
     WHERE tenant_id = ${tx.tenantId} AND id = ${id}`;
  if (collected === null) {
    await update.execute(tx.sql);
    return;
  }
  const { contentHash, notes, storedEntries } = collected;
  if (notes.entries !== null && notes.entries !== storedEntries) await storeEntries(tx, notes.entries);
  await sql`WITH saved AS (${upsertSnapshot(tx, id, contentHash, notes)}) ${update}`.execute(tx.sql);
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
