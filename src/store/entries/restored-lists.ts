/** Puts back what removed-lists.ts has. */
// cspell:ignore attgenerated attisdropped attname attnum attrelid
import { sql, type RawBuilder } from 'kysely';
import { NAMED_ENTRIES } from '../../api/activity/audit-entries.ts';
import { STATES_WITH_CONTENT, type RemovedState } from '../columns/removed-state.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import type { RemovedBatch, RemovedChunk } from './removed-lists.ts';

/** Rows that follow from what is collected of a module, in the order in which they refer to each other. */
const STATES = [
  ...STATES_WITH_CONTENT,
  'released_snapshot',
  'rolled_back_snapshot',
] as const satisfies readonly (keyof RemovedState)[];
const WITH_CONTENT: readonly string[] = STATES_WITH_CONTENT;

/** Columns that say what became of an entry when it was read last, and what they are before it is read. */
const UNREAD: Readonly<Record<string, RawBuilder<unknown>>> = {
  status: sql`'pending'`,
  last_error: sql`NULL`,
  last_refreshed_at: sql`NULL`,
  prefix_count_ipv4: sql`0`,
  prefix_count_ipv6: sql`0`,
  etag: sql`NULL`,
  last_modified: sql`NULL`,
};

/** Columns of the table that a remembered row has: what a later migration adds gets its default. */
async function columnsOf(tx: TenantTx, table: string, row: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT attname::text AS name FROM pg_attribute
     WHERE attrelid = ${`prefixcast.${table}`}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       AND (${row}) ? attname::text
     ORDER BY attnum`.execute(tx.sql);
  return rows.map(({ name }) => name);
}

/** The row of a module that is to be put back. */
export interface ModuleToRestore {
  readonly name: string;
  readonly communityId: string | null;
  readonly resolverIds: readonly string[];
  /** What was collected of it is gone. */
  readonly isUnread: boolean;
}

/** @throws {Problem} `conflict` where the name was taken, `quota_exceeded` */
export async function restoreModuleRow(
  tx: TenantTx,
  { module }: Pick<RemovedBatch, 'module'>,
  { name, communityId, resolverIds, isUnread }: ModuleToRestore,
): Promise<void> {
  const json = JSON.stringify({
    ...module,
    name,
    community_id: communityId,
    doh_profile_ids: resolverIds,
    doh_profile_id: resolverIds[0] ?? null,
    ...(isUnread
      ? { prefix_count_ipv4: 0, prefix_count_ipv6: 0, last_refresh: null, last_refreshed_at: null }
      : {}),
  });
  const columns = await columnsOf(tx, 'module', sql`${json}::jsonb`);
  const values = columns.map((column) => {
    if (column === 'version') return sql`version + 1`;
    return column === 'updated_at' ? sql`now()` : sql.ref(column);
  });
  const insert = sql`
    INSERT INTO module (${sql.join(columns.map((column) => sql.ref(column)))})
    SELECT ${sql.join(values)} FROM jsonb_populate_record(NULL::module, ${json}::jsonb)`.execute(tx.sql);
  await mapConstraintErrors('module', { name, community_id: communityId }, insert);
}

/** Whether the contents are still there that were collected and accepted of the module; they stay until the transaction ends. */
export async function keepContents(tx: TenantTx, state: RemovedState): Promise<boolean> {
  const rows = STATES_WITH_CONTENT.flatMap((table) => {
    const row = state[table];
    return row === null ? [] : [row];
  });
  const contents = [...new Set(rows.map((row) => row.content_hash as string))];
  const lists = [...new Set(rows.flatMap((row) => (row.entries_hash as string | null | undefined) ?? []))];
  const kept = await sql`
    SELECT FROM content WHERE tenant_id = ${tx.tenantId} AND content_hash = ANY (${contents}::bytea[])
     ORDER BY content_hash FOR KEY SHARE`.execute(tx.sql);
  const keptLists = await sql`
    SELECT FROM entry_list WHERE tenant_id = ${tx.tenantId} AND hash = ANY (${lists}::bytea[])
     ORDER BY hash FOR KEY SHARE`.execute(tx.sql);
  return (
    state.snapshot !== null && kept.rows.length === contents.length && keptLists.rows.length === lists.length
  );
}

/** What was collected and decided of a module. @param isUnread without what names contents */
export async function restoreState(tx: TenantTx, state: RemovedState, isUnread: boolean): Promise<void> {
  for (const table of STATES) {
    const row = state[table];
    if (row === null || (isUnread && WITH_CONTENT.includes(table))) continue;
    const json = JSON.stringify(row);
    const columns = sql.join(
      (await columnsOf(tx, table, sql`${json}::jsonb`)).map((column) => sql.ref(column)),
    );
    await sql`
      INSERT INTO ${sql.table(table)} (${columns})
      SELECT ${columns} FROM jsonb_populate_record(NULL::${sql.table(table)}, ${json}::jsonb)`.execute(
      tx.sql,
    );
  }
}

/** How entries come back. */
export interface EntriesToRestore {
  /** By the community that an entry had, the one it has now; null: none. Others stay. */
  readonly communities: ReadonlyMap<string, string | null>;
  /** What was collected of them is gone with all that their module had. */
  readonly isUnread: boolean;
  /** They begin to be read again, as entries that are enabled do. */
  readonly beginsAgain: boolean;
}

/** What became of the entries of a chunk. */
export interface RestoredRows {
  /** Ids of those that are back, and whether they are enabled. */
  readonly entries: readonly { readonly id: string; readonly enabled: boolean }[];
  /** What operators call the first of them. */
  readonly names: readonly string[];
  readonly expired: number;
}

/** Puts the entries of a chunk back that have not expired. Where the module has one with the same key, that one stays. */
export async function restoreChunk(
  tx: TenantTx,
  { id: batchId, module_id: moduleId }: Pick<RemovedBatch, 'id' | 'module_id'>,
  { kind, place }: RemovedChunk,
  how: EntriesToRestore,
): Promise<RestoredRows> {
  const chunk = sql`removed_chunk c WHERE c.tenant_id = ${tx.tenantId} AND c.batch_id = ${batchId} AND c.place = ${place}`;
  const columns = await columnsOf(tx, kind, sql`SELECT (c.entries -> 0)::jsonb FROM ${chunk}`);
  const values = columns.map((column) => valueOf(column, how));
  const restore = sql<{ entries: string | null; names: string[]; expired: number }>`
    WITH kept AS MATERIALIZED (
      SELECT e.* FROM removed_chunk c CROSS JOIN LATERAL json_populate_recordset(NULL::${sql.table(kind)}, c.entries) AS e
       WHERE c.tenant_id = ${tx.tenantId} AND c.batch_id = ${batchId} AND c.place = ${place}
    ), back AS (
      INSERT INTO ${sql.table(kind)} (${sql.join(columns.map((column) => sql.ref(column)))})
      SELECT ${sql.join(values)} FROM kept WHERE expires_at IS NULL OR expires_at > clock_timestamp() ORDER BY id
      ON CONFLICT DO NOTHING
      RETURNING id, enabled, expires_at, ${ENTRY_TABLES[kind].name} AS name
    ), ended AS (
      -- Their end is theirs again.
      DELETE FROM past_expiry USING back
       WHERE past_expiry.tenant_id = ${tx.tenantId} AND past_expiry.entry_id = back.id AND back.expires_at IS NOT NULL
    )
    SELECT (SELECT string_agg(id || ' ' || enabled, ',') FROM back) AS entries,
           ARRAY(SELECT name FROM back ORDER BY id LIMIT ${NAMED_ENTRIES}) AS names,
           (SELECT count(*)::int FROM kept WHERE expires_at <= clock_timestamp()) AS expired`.execute(tx.sql);
  const missing = [...how.communities.keys()].join(', ');
  const { rows } = await mapConstraintErrors(
    kind,
    { module_id: moduleId, community_id: missing, community_ids: missing },
    restore,
  );
  const { entries, names, expired } = rows[0]!;
  const back = (entries?.split(',') ?? []).map((entry) => {
    const [id, enabled] = entry.split(' ');
    return { id: id!, enabled: enabled === 'true' };
  });
  return { entries: back, names, expired };
}

function valueOf(
  column: string,
  { communities, isUnread, beginsAgain }: EntriesToRestore,
): RawBuilder<unknown> {
  if (column === 'version' || (column === 'question_version' && beginsAgain)) return sql`version + 1`;
  if (column === 'updated_at') return sql`now()`;
  if (column === 'community_ids' && communities.size > 0) return replacedCommunities(communities);
  return (isUnread ? UNREAD[column] : undefined) ?? sql.ref(column);
}

function replacedCommunities(communities: ReadonlyMap<string, string | null>): RawBuilder<unknown> {
  const json = JSON.stringify(Object.fromEntries(communities));
  return sql`ARRAY(
    SELECT coalesce((${json}::jsonb ->> own.id::text)::uuid, own.id)
      FROM unnest(community_ids) WITH ORDINALITY AS own (id, place)
     WHERE ${json}::jsonb -> own.id::text IS DISTINCT FROM 'null'::jsonb
     ORDER BY own.place)`;
}

/** Notes who put the removal back; what it kept is not needed any more. */
export async function settleRemoval(tx: TenantTx, batchId: string, actor: string): Promise<void> {
  await tx.sql
    .updateTable('removed_chunk')
    .set({ entries: sql<Record<string, unknown>[]>`'[]'::json` })
    .where('tenant_id', '=', tx.tenantId)
    .where('batch_id', '=', batchId)
    .execute();
  await tx.sql
    .updateTable('removed_batch')
    .set({ restored_at: sql<string>`clock_timestamp()`, restored_by: actor })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', batchId)
    .execute();
}

/** A revision is to be built of what was collected of the module before. */
export async function noteRestored(tx: TenantTx, moduleId: string): Promise<void> {
  await sql`
    SELECT note_change(tenant_id, id, false, true, 1) FROM module
     WHERE tenant_id = ${tx.tenantId} AND id = ${moduleId} AND enabled`.execute(tx.sql);
}
