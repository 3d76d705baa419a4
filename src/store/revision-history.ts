import { sql } from 'kysely';
import type { Family } from '../core/address.ts';
import type { TenantTx } from './database/database.ts';

/** A snapshot that a revision was built from. */
export interface RevisionInput {
  readonly module_id: string;
  readonly families: readonly Family[];
  readonly content_hash: string;
  /** Of the list of entries that contributed; null: nothing of the module changes by itself. */
  readonly entries_hash: string | null;
}

/** One of a module that changes by itself. */
export interface ChangingInput extends RevisionInput {
  readonly entries_hash: string;
}

export function changesByItself(input: RevisionInput): input is ChangingInput {
  return input.entries_hash !== null;
}

/** What the revision was built from, by module. */
export async function listRevisionInputs(tx: TenantTx, revisionId: string): Promise<RevisionInput[]> {
  const rows = await tx.sql
    .selectFrom('revision_input')
    .select(['module_id', 'families', 'content_hash', 'entries_hash'])
    .where('tenant_id', '=', tx.tenantId)
    .where('revision_id', '=', revisionId)
    .orderBy('module_id')
    .execute();
  return rows.map(({ content_hash, entries_hash, ...row }) => ({
    ...row,
    content_hash: content_hash.toString('hex'),
    entries_hash: entries_hash?.toString('hex') ?? null,
  }));
}

/** Writes down what the revision was built from: contents and lists of entries that are stored. */
export async function saveRevisionInputs(
  tx: TenantTx,
  revisionId: string,
  inputs: readonly RevisionInput[],
): Promise<void> {
  if (inputs.length === 0) return;
  await tx.sql
    .insertInto('revision_input')
    .values(
      inputs.map(({ module_id, families, content_hash, entries_hash }) => ({
        tenant_id: tx.tenantId,
        revision_id: revisionId,
        module_id,
        families: [...families],
        content_hash: Buffer.from(content_hash, 'hex'),
        entries_hash: entries_hash === null ? null : Buffer.from(entries_hash, 'hex'),
      })),
    )
    .execute();
}

/** The entries of each list, as `id version,id version…`, by hash. */
export async function readEntryLists(
  tx: TenantTx,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await tx.sql
    .selectFrom('entry_list')
    .select(['hash', 'entries'])
    .where('tenant_id', '=', tx.tenantId)
    .where(
      'hash',
      'in',
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .execute();
  return new Map(rows.map(({ hash, entries }) => [hash.toString('hex'), entries]));
}

/**
 * The revision that tells best what was applied last on any enabled speaker: the newest good one of that content, since a revision
 * that changes nothing is not applied, although its entries may have been edited since. Null: nothing was applied yet.
 */
export async function findLastApplied(tx: TenantTx): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT newest.id FROM revision newest, (
      SELECT revision.id, revision.number, revision.content_hash FROM speaker
        JOIN revision ON revision.tenant_id = speaker.tenant_id AND revision.id = speaker.applied_revision_id
       WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.enabled
       ORDER BY speaker.applied_at DESC, revision.number DESC LIMIT 1) applied
     WHERE newest.tenant_id = ${tx.tenantId} AND newest.content_hash = applied.content_hash
       AND newest.number >= applied.number AND (newest.state = 'ready' OR newest.id = applied.id)
     ORDER BY newest.number DESC LIMIT 1`.execute(tx.sql);
  return rows[0]?.id ?? null;
}

/** The rails by which the findings of a revision were found; null: never checked. */
export async function findRailsHash(tx: TenantTx, revisionId: string): Promise<string | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .select(sql<Buffer | null>`rails_hash`.as('rails_hash'))
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', revisionId)
    .executeTakeFirst();
  return row?.rails_hash?.toString('hex') ?? null;
}
