/** Many entries of a module at once: what an import writes and an export reads. */
import { sql, type RawBuilder } from 'kysely';
import { NAMED_ENTRIES } from '../../api/activity/audit-entries.ts';
import { ENTRY_KINDS, type EntryType } from '../../api/entries/entry-kinds.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { lockForChange } from '../versions.ts';

/** The column that no two entries of a module share. */
const KEYS = Object.fromEntries(Object.values(ENTRY_KINDS).map(({ entry, key }) => [entry, key])) as Readonly<
  Record<EntryType, string>
>;

/** Prevents others from adding entries to the module until the transaction ends, so that counts stay valid. */
export async function lockModuleEntries(tx: TenantTx, moduleId: string): Promise<void> {
  await lockForChange(tx, 'module', moduleId, null);
}

const IN_FILE = 'that stands in the file';

export interface Merged {
  readonly created: number;
  readonly updated: number;
  /** What operators call the first {@link NAMED_ENTRIES} of each. */
  readonly created_names: readonly string[];
  readonly updated_names: readonly string[];
}

/**
 * Inserts the rows whose key the module does not have, and changes existing ones with other values.
 * One statement whose plan is always the same: a join with rows that the planner knows nothing about may become a nested loop.
 * @param rows a JSON array in UTF-8, its members named after columns, with distinct keys; all have the same members
 * @param columns all columns of the rows
 * @param given the columns to change in existing entries
 */
export async function mergeEntries(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  rows: Uint8Array,
  { columns, given }: { readonly columns: readonly string[]; readonly given: readonly string[] },
): Promise<Merged> {
  const written = sql.join(['id', ...columns].map((column) => sql.ref(column)));
  const merge = sql<Merged>`
    WITH merged AS (
      INSERT INTO ${sql.table(table)} AS e (tenant_id, module_id, ${written})
      SELECT ${tx.tenantId}, ${moduleId}, ${written}
        FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${asJson(rows)})
      ON CONFLICT (tenant_id, module_id, ${keyOf(table)}) ${whatChanges(table, given)}
      RETURNING e.version, ${ENTRY_TABLES[table].name} AS name)
    SELECT count(*) FILTER (WHERE version = 1) AS created, count(*) FILTER (WHERE version > 1) AS updated,
           ARRAY(SELECT name FROM merged WHERE version = 1 LIMIT ${NAMED_ENTRIES}) AS created_names,
           ARRAY(SELECT name FROM merged WHERE version > 1 LIMIT ${NAMED_ENTRIES}) AS updated_names
      FROM merged`.execute(tx.sql);
  const counted = await mapConstraintErrors(table, { community_id: IN_FILE, community_ids: IN_FILE }, merge);
  return counted.rows[0]!;
}

function whatChanges(table: EntryType, given: readonly string[]): RawBuilder<unknown> {
  if (given.length === 0) return sql`DO NOTHING`;
  const asked = ENTRY_TABLES[table].asking.filter((column) => given.includes(column));
  const validators = asked.length === 0 ? [] : ['etag', 'last_modified'];
  const assignments = [
    ...given.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`),
    ...validators.map(
      (column) =>
        sql`${sql.ref(column)} = CASE WHEN ${differ(asked)} THEN NULL ELSE e.${sql.ref(column)} END`,
    ),
    sql`version = e.version + 1`,
    sql`updated_at = now()`,
  ];
  return sql`DO UPDATE SET ${sql.join(assignments)} WHERE ${differ(given)}`;
}

/** Whether an entry has other values than the row. */
function differ(columns: readonly string[]): RawBuilder<boolean> {
  const theirs = columns.map((column) => sql`excluded.${sql.ref(column)}`);
  return sql`(${sql.join(columns.map(comparable))}) IS DISTINCT FROM (${sql.join(theirs)})`;
}

/** Entries of the module that the rows would enable or disable in {@link mergeEntries}, with their present state. */
export async function listToggled(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  rows: Uint8Array,
): Promise<{ readonly id: string; readonly enabled: boolean }[]> {
  const key = keyOf(table);
  const toggled = await sql<{ id: string; enabled: boolean }>`
    SELECT e.id, e.enabled
      FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${asJson(rows)}) AS new
      JOIN ${sql.table(table)} e ON ${ofModule(tx, moduleId)} AND e.${key} = new.${key}
     WHERE e.enabled <> new.enabled`.execute(tx.sql);
  return toggled.rows;
}

/** An empty note and none are the same in a file. */
function comparable(column: string): RawBuilder<unknown> {
  return column === 'note' ? sql`nullif(e.note, '')` : sql`e.${sql.ref(column)}`;
}

/** How many rows are gone, what operators call the first {@link NAMED_ENTRIES}, and which of all were enabled. */
export interface DeletedRows {
  readonly count: number;
  readonly names: readonly string[];
  readonly enabled: readonly string[];
}

/** Deletes the entries of the module that are not listed. @param keys a JSON array in UTF-8 */
export function deleteOtherEntries(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  keys: Uint8Array,
): Promise<DeletedRows> {
  return deleteByKeys(tx, table, moduleId, sql`NOT IN (${listed(table, keys)})`);
}

/** Deletes the entries of the module that are listed. @param keys a JSON array in UTF-8 */
export function deleteNamedEntries(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  keys: Uint8Array,
): Promise<DeletedRows> {
  return deleteByKeys(tx, table, moduleId, sql`IN (${listed(table, keys)})`);
}

function listed(table: EntryType, keys: Uint8Array): RawBuilder<unknown> {
  return sql`SELECT named::${ENTRY_TABLES[table].keyType} FROM jsonb_array_elements_text(${asJson(keys)}) AS named`;
}

async function deleteByKeys(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  whichKeys: RawBuilder<unknown>,
): Promise<DeletedRows> {
  const { rows } = await sql<{ count: number; names: string[]; enabled: string | null }>`
    WITH gone AS (
    DELETE FROM ${sql.table(table)} e
     WHERE ${ofModule(tx, moduleId)} AND e.${keyOf(table)} ${whichKeys}
    RETURNING e.id, e.enabled, ${ENTRY_TABLES[table].name} AS name)
    SELECT count(*) AS count, ARRAY(SELECT name FROM gone LIMIT ${NAMED_ENTRIES}) AS names,
           string_agg(id::text, ',') FILTER (WHERE enabled) AS enabled
      FROM gone`.execute(tx.sql);
  const { count, names, enabled } = rows[0]!;
  return { count, names, enabled: enabled?.split(',') ?? [] };
}

/** An entry with the values of its communities. */
export type EntryCells = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/**
 * Entries of the module in the order of their keys.
 * @param columns of the table, the key among them
 * @param after the key behind which to go on; null: from the first
 */
export async function readEntriesByKey(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  columns: readonly string[],
  after: EntryCells[string],
  limit: number,
): Promise<EntryCells[]> {
  const key = keyOf(table);
  const next = after === null ? sql`` : sql`AND e.${key} > ${after}::${ENTRY_TABLES[table].keyType}`;
  const { rows } = await sql<EntryCells>`
    SELECT ${sql.join(columns.map((column) => sql`e.${sql.ref(column)}`))},
           ARRAY(SELECT c.community
                   FROM unnest(e.community_ids) WITH ORDINALITY AS own (id, place)
                   JOIN community c ON c.tenant_id = e.tenant_id AND c.id = own.id
                  ORDER BY own.place) AS community
      FROM ${sql.table(table)} e
     WHERE ${ofModule(tx, moduleId)} ${next}
     ORDER BY e.${key} LIMIT ${limit}`.execute(tx.sql);
  return rows;
}

function keyOf(table: EntryType): RawBuilder<unknown> {
  return sql.ref(KEYS[table]);
}

function ofModule(tx: TenantTx, moduleId: string): RawBuilder<unknown> {
  return sql`e.tenant_id = ${tx.tenantId} AND e.module_id = ${moduleId}`;
}

/** JSON that is sent to the server as bytes, without a string in between. */
function asJson(utf8: Uint8Array): RawBuilder<unknown> {
  return sql`convert_from(${Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength)}, 'UTF8')::jsonb`;
}
