/** Many entries of a module at once: what an import writes and an export reads. */
import { sql, type RawBuilder } from 'kysely';
import { ENTRY_KINDS, type EntryType } from '../api/entry-kinds.ts';
import { mapConstraintErrors } from './database/constraint-problem.ts';
import type { TenantTx } from './database/database.ts';
import { ENTRY_TABLES } from './database/entry-tables.ts';
import { lockForChange } from './versions.ts';

/** The column that no two entries of a module share. */
const KEYS = Object.fromEntries(Object.values(ENTRY_KINDS).map(({ entry, key }) => [entry, key])) as Readonly<
  Record<EntryType, string>
>;

/** Keeps others from adding entries to the module until the transaction ends, so that what is counted stays true. */
export async function lockModuleEntries(tx: TenantTx, moduleId: string): Promise<void> {
  await lockForChange(tx, 'module', moduleId, null);
}

export interface Merged {
  readonly created: number;
  readonly updated: number;
}

/**
 * Inserts the rows whose key the module does not hold, and changes those that it holds with other values.
 *
 * One statement whose plan is always the same: a join with rows of which the planner knows nothing may end in a nested loop.
 * @param rows a JSON array in UTF-8, its members named after columns, no two of one key; all have the same members
 * @param columns all that rows say
 * @param given what they say of an entry that is there; nothing else of it changes
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
      RETURNING e.version)
    SELECT count(*) FILTER (WHERE version = 1) AS created, count(*) FILTER (WHERE version > 1) AS updated
      FROM merged`.execute(tx.sql);
  const counted = await mapConstraintErrors(table, { community_id: 'that stands in the file' }, merge);
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

/** An empty note and none are the same to a file. */
function comparable(column: string): RawBuilder<unknown> {
  return column === 'note' ? sql`nullif(e.note, '')` : sql`e.${sql.ref(column)}`;
}

/**
 * Deletes the entries of the module that are not named.
 * @param keys a JSON array in UTF-8
 * @returns how many
 */
export async function deleteOtherEntries(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  keys: Uint8Array,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} e
     WHERE ${ofModule(tx, moduleId)} AND e.${keyOf(table)} NOT IN (
       SELECT named::${ENTRY_TABLES[table].keyType} FROM jsonb_array_elements_text(${asJson(keys)}) AS named)`.execute(
    tx.sql,
  );
  return Number(numAffectedRows);
}

/** An entry with the value of its community. */
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
    SELECT ${sql.join(columns.map((column) => sql`e.${sql.ref(column)}`))}, c.community
      FROM ${sql.table(table)} e
      LEFT JOIN community c ON c.tenant_id = e.tenant_id AND c.id = e.community_id
     WHERE ${ofModule(tx, moduleId)} ${next}
     ORDER BY e.${key} LIMIT ${limit}`.execute(tx.sql);
  return rows;
}

/** Runs `work` and takes back all that it wrote. */
export async function takingBack<T>(tx: TenantTx, work: () => Promise<T>): Promise<T> {
  await sql`SAVEPOINT trial`.execute(tx.sql);
  const result = await work();
  await sql`ROLLBACK TO SAVEPOINT trial`.execute(tx.sql);
  return result;
}

function keyOf(table: EntryType): RawBuilder<unknown> {
  return sql.ref(KEYS[table]);
}

function ofModule(tx: TenantTx, moduleId: string): RawBuilder<unknown> {
  return sql`e.tenant_id = ${tx.tenantId} AND e.module_id = ${moduleId}`;
}

/** JSON that goes to the server as bytes, without being a text here. */
function asJson(utf8: Uint8Array): RawBuilder<unknown> {
  return sql`convert_from(${Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength)}, 'UTF8')::jsonb`;
}
