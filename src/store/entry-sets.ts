/** Many entries of a module at once: what an import writes and an export reads. */
import { sql, type RawBuilder } from 'kysely';
import { refusing } from './constraint-problem.ts';
import type { TenantTx } from './database.ts';
import type { EntryTable } from './entries.ts';
import { lockForChange } from './versions.ts';

/** The column that no two entries of a module share, its type, and what makes validators of an earlier answer void. */
interface EntrySet {
  readonly key: string;
  readonly type: RawBuilder<unknown>;
  /** Columns that decide what a source answers. */
  readonly asking?: readonly string[];
}

const SETS: Readonly<Record<EntryTable, EntrySet>> = {
  cdn_source: { key: 'name', type: sql`text`, asking: ['url', 'format', 'json_path', 'csv_column'] },
  as_entry: { key: 'asn', type: sql`bigint` },
  domain_entry: { key: 'domain', type: sql`text` },
  ip_range_entry: { key: 'cidr', type: sql`cidr` },
  domain_entry: { key: 'domain', type: sql`text` },
};

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
 * @param rows a JSON array in UTF-8, its members named after columns, no two of one key; all have the same members
 * @param columns what the rows say of an entry that is there; nothing else of it changes
 */
export async function mergeEntries(
  tx: TenantTx,
  table: EntryTable,
  moduleId: string,
  rows: Uint8Array,
  { columns, given }: { readonly columns: readonly string[]; readonly given: readonly string[] },
): Promise<Merged> {
  const parts = partsOf(tx, table, moduleId);
  const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
  const source = sql`jsonb_populate_recordset(NULL::${sql.table(table)}, convert_from(${bytes}, 'UTF8')::jsonb)`;
  const updated = given.length === 0 ? 0 : await updateChanged(tx, table, parts, source, given);
  const written = sql.join(['id', ...columns].map((column) => sql.ref(column)));
  const insert = sql`
    INSERT INTO ${sql.table(table)} (tenant_id, module_id, ${written})
    SELECT ${tx.tenantId}, ${moduleId}, ${written} FROM ${source}
    ON CONFLICT (tenant_id, module_id, ${parts.key}) DO NOTHING`.execute(tx.sql);
  const { numAffectedRows = 0n } = await refusing(table, {}, insert);
  return { created: Number(numAffectedRows), updated };
}

interface Parts {
  readonly key: RawBuilder<unknown>;
  readonly ofModule: RawBuilder<unknown>;
}

function partsOf(tx: TenantTx, table: EntryTable, moduleId: string): Parts {
  return {
    key: sql.ref(SETS[table].key),
    ofModule: sql`e.tenant_id = ${tx.tenantId} AND e.module_id = ${moduleId}`,
  };
}

async function updateChanged(
  tx: TenantTx,
  table: EntryTable,
  { key, ofModule }: Parts,
  source: RawBuilder<unknown>,
  given: readonly string[],
): Promise<number> {
  const { asking = [] } = SETS[table];
  const differ = (columns: readonly string[]) => sql`
    (${sql.join(columns.map(comparable))}) IS DISTINCT FROM
    (${sql.join(columns.map((column) => sql`g.${sql.ref(column)}`))})`;
  const assignments = given.map((column) => sql`${sql.ref(column)} = g.${sql.ref(column)}`);
  const asked = asking.filter((column) => given.includes(column));
  if (asked.length > 0)
    for (const validator of ['etag', 'last_modified'])
      assignments.push(
        sql`${sql.ref(validator)} = CASE WHEN ${differ(asked)} THEN NULL ELSE e.${sql.ref(validator)} END`,
      );
  const { numAffectedRows = 0n } = await sql`
    UPDATE ${sql.table(table)} e
       SET ${sql.join(assignments)}, version = e.version + 1, updated_at = now()
      FROM ${source} g
     WHERE ${ofModule} AND e.${key} = g.${key} AND ${differ(given)}`.execute(tx.sql);
  return Number(numAffectedRows);
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
  table: EntryTable,
  moduleId: string,
  keys: Uint8Array,
): Promise<number> {
  const { key, ofModule } = partsOf(tx, table, moduleId);
  const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} e
     WHERE ${ofModule} AND NOT EXISTS (
       SELECT FROM jsonb_array_elements_text(convert_from(${bytes}, 'UTF8')::jsonb) AS named
        WHERE named::${SETS[table].type} = e.${key})`.execute(tx.sql);
  return Number(numAffectedRows);
}

/** An entry with the value of its community. */
export type EntryCells = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Entries of the module in the order of their keys.
 * @param columns of the table, the key among them
 * @param after the key behind which to go on; null: from the first
 */
export async function readEntriesByKey(
  tx: TenantTx,
  table: EntryTable,
  moduleId: string,
  columns: readonly string[],
  after: EntryCells[string],
  limit: number,
): Promise<EntryCells[]> {
  const { key, ofModule } = partsOf(tx, table, moduleId);
  const next = after === null ? sql`` : sql`AND e.${key} > ${after}::${SETS[table].type}`;
  const { rows } = await sql<EntryCells>`
    SELECT ${sql.join(columns.map((column) => sql`e.${sql.ref(column)}`))}, c.community
      FROM ${sql.table(table)} e
      LEFT JOIN community c ON c.tenant_id = e.tenant_id AND c.id = e.community_id
     WHERE ${ofModule} ${next}
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
