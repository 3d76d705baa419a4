/** Lists of entries in another order than that in which they were made: by the column that is unique in a module, or the newest first of what is searched for. */
import { type RawBuilder, sql } from 'kysely';
import type { EntryType } from '../../api/entries/entry-kinds.ts';
import type { EntryOrder } from '../../api/entries/entry-members.ts';
import type { Page, PageRequest } from '../../api/shapes/page.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { containing, readByKey, readSort, valuesOf, type OneOrSeveral } from '../database/pagination.ts';
import { PLANNED_EACH_TIME } from '../database/session.ts';

/** What more entries say than these is frequent: a page of those who say it is found soon by going through all of them in order. */
const FEW = 2_000;
/** Before every id. */
const NO_ENTRY = '00000000-0000-0000-0000-000000000000';

interface OrderedTable<Row, Entry> {
  readonly table: EntryType;
  /** The last segment of the list's path. */
  readonly path: string;
  /** The column that is unique in a module. */
  readonly key: string;
  /** The columns that are read. */
  readonly columns: RawBuilder<unknown>;
  readonly present: (row: Row) => Entry;
}

export interface OrderedQuery extends PageRequest {
  readonly sort: EntryOrder;
  readonly ids?: readonly string[] | undefined;
  readonly q?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly status?: OneOrSeveral<string> | undefined;
}

/** @throws {Problem} `invalid_cursor` */
export async function readOrderedEntries<Row extends { readonly id: string }, Entry>(
  tx: TenantTx,
  moduleId: string,
  { table, path, key, columns, present }: OrderedTable<Row, Entry>,
  query: OrderedQuery,
): Promise<Page<Entry>> {
  const { by, isDescending } = readSort<'created_at' | 'name'>(query.sort);
  const [column, type] = by === 'name' ? [key, ENTRY_TABLES[table].keyType] : ['id', sql`uuid`];
  const conditions = [
    sql`tenant_id = ${tx.tenantId}`,
    sql`module_id = ${moduleId}`,
    ...(await conditionsOf(tx, moduleId, table, query)),
  ];
  return readByKey(
    tx,
    `${path} ${moduleId}`,
    query,
    async (after, limit) => {
      const behind =
        after === null
          ? []
          : [sql`${sql.ref(column)} ${isDescending ? sql`<` : sql`>`} ${after}::text::${type}`];
      const { rows } = await sql<Row>`
        SELECT ${columns} FROM ${sql.table(table)}
         WHERE ${sql.join([...conditions, ...behind], sql` AND `)}
         ORDER BY ${sql.ref(column)} ${isDescending ? sql`DESC` : sql``} LIMIT ${limit} ${PLANNED_EACH_TIME}`.execute(
        tx.sql,
      );
      return rows;
    },
    (row) => String((row as Readonly<Record<string, unknown>>)[column]),
    present,
  );
}

async function conditionsOf(
  tx: TenantTx,
  moduleId: string,
  table: EntryType,
  { ids, q, enabled, status }: OrderedQuery,
): Promise<RawBuilder<unknown>[]> {
  return [
    ...(enabled === undefined ? [] : [sql`enabled = ${enabled}`]),
    ...(status === undefined ? [] : [sql`status = ANY(${valuesOf(status)}::text[])`]),
    ...(ids === undefined ? [] : [sql`id = ANY(${ids}::uuid[])`]),
    ...(q === undefined ? [] : [await saying(tx, moduleId, table, q)]),
  ];
}

/** That an entry says the text. */
async function saying(
  tx: TenantTx,
  moduleId: string,
  table: EntryType,
  q: string,
): Promise<RawBuilder<unknown>> {
  const pattern = containing(q);
  const { rows } = await sql<{ found: readonly string[] }>`
    SELECT search_entries(${table}, ${moduleId}, ${pattern}, NULL, NULL, ${NO_ENTRY}, ${FEW + 1}) AS found`.execute(
    tx.sql,
  );
  const { found } = rows[0]!;
  if (found.length <= FEW) return sql`id = ANY(${found}::uuid[])`;
  const said = ENTRY_TABLES[table].searched.map((text) => sql`${text} ILIKE ${pattern}`);
  return sql`(${sql.join(said, sql` OR `)})`;
}
