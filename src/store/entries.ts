/**
 * What the tables of entries have alike: every entry belongs to a module, is listed, read, inserted, changed and deleted in it, and
 * one of its columns is unique there. A noun brings its table, its columns and how it is presented ({@link EntryNoun}); see
 * as-entries.ts for one that needs no more.
 */
import { sql, type Insertable, type RawBuilder, type Selectable, type Updateable } from 'kysely';
import type { EntryType } from '../api/entry-kinds.ts';
import type { Page, PageRequest } from '../api/page.ts';
import { Problem } from '../api/problem.ts';
import { mapInSlices } from '../concurrency/slices.ts';
import { mapConstraintErrors } from './database/constraint-problem.ts';
import type { TenantTx, Versioned } from './database/database.ts';
import { getModule } from './modules.ts';
import { containing, readPage } from './database/pagination.ts';
import type { Tables } from './generated/rows.ts';
import { found, lockForChange, nextVersion, versioned } from './versions.ts';

/** Columns of every entry. */
export const ENTRY_COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'module_id',
  'enabled',
  'community_id',
  'version',
] as const;

/** Columns of entries that are collected from somewhere. */
export const COLLECTED_COLUMNS = [
  'last_refreshed_at',
  'status',
  'last_error',
  'prefix_count_ipv4',
  'prefix_count_ipv6',
] as const;

/** Rows of one INSERT. They travel as one JSON text, so the limit is for the server's memory, not for parameters. */
const ROWS_AT_ONCE = 10_000;
/** As many faults as an answer tells. */
const MAXIMUM_FAULTS = 100;

type Columns<Table extends EntryType> = keyof Selectable<Tables[Table]> & string;
type Row<Table extends EntryType, Column extends Columns<Table>> = Pick<Selectable<Tables[Table]>, Column> & {
  /** Whether its module is held because of it. */
  readonly held: boolean;
};

export interface EntryNoun<Table extends EntryType, Column extends Columns<Table>, Entry> {
  readonly table: Table;
  /** The last segment of the list's path. */
  readonly path: string;
  /** What is read of a row. */
  readonly columns: readonly Column[];
  /** The column that no two entries of a module share. */
  readonly key: Column;
  /** What `q` is looked for in. */
  readonly search: readonly RawBuilder<string>[];
  readonly present: (row: Row<Table, Column>) => Entry;
  /** Says that the module holds an entry of this key, and what to do. */
  readonly tellKnown: (key: unknown) => string;
}

/** A list's page and its filters, each named after its column but `q`. */
export type EntryQuery = PageRequest & {
  readonly q?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly status?: string | undefined;
};

/** A row to insert: what is left out gets no default of the database, so a noun says all that may not be null. */
export type NewEntry<Table extends EntryType> = Omit<Insertable<Tables[Table]>, 'tenant_id' | 'module_id'> & {
  readonly id: string;
  readonly community_id: string | null;
};

export interface EntryStore<Table extends EntryType, Entry> {
  readonly list: (tx: TenantTx, moduleId: string, query: EntryQuery) => Promise<Page<Entry>>;
  readonly get: (tx: TenantTx, moduleId: string, id: string) => Promise<Versioned<Entry>>;
  /**
   * Inserts all of them or, when the key of one is there already, none.
   * @param rows no two of one key, with ids in ascending order
   * @param pointerOf where a row stands in the request
   * @returns in the order given
   * @throws {Problem} `conflict`
   */
  readonly insert: (
    tx: TenantTx,
    moduleId: string,
    rows: readonly NewEntry<Table>[],
    pointerOf: (index: number) => string,
  ) => Promise<Versioned<Entry>[]>;
  /** @throws {Problem} `not_found`, `precondition_failed`, `conflict` */
  readonly update: (
    tx: TenantTx,
    moduleId: string,
    id: string,
    set: Updateable<Tables[Table]>,
    version: number | null,
  ) => Promise<Versioned<Entry>>;
  /** @throws {Problem} `not_found`, `precondition_failed` */
  readonly remove: (tx: TenantTx, moduleId: string, id: string, version: number | null) => Promise<void>;
}

export function entryStore<Table extends EntryType, Column extends Columns<Table>, Entry>(
  noun: EntryNoun<Table, Column, Entry>,
): EntryStore<Table, Entry> {
  type EntryRow = Row<Table, Column> & { readonly id: string; readonly version: number };
  const table = sql.table(noun.table);
  const held = sql`EXISTS (
    SELECT FROM held_snapshot h
     WHERE h.tenant_id = ${table}.tenant_id AND h.module_id = ${table}.module_id AND ${table}.id = ANY(h.entry_ids)) AS held`;
  const columns = sql.join([...noun.columns.map((column) => sql.ref(column)), held]);

  /** Rows of the module that meet the conditions, in the order of ids. */
  async function select(
    tx: TenantTx,
    moduleId: string,
    conditions: readonly RawBuilder<unknown>[],
    limit?: number,
  ): Promise<EntryRow[]> {
    const { rows } = await sql<EntryRow>`
      SELECT ${columns} FROM ${sql.table(noun.table)}
       WHERE ${sql.join([ofModule(tx, moduleId), ...conditions], sql` AND `)}
       ORDER BY id LIMIT ${limit ?? null}`.execute(tx.sql);
    return rows;
  }

  async function get(tx: TenantTx, moduleId: string, id: string): Promise<Versioned<Entry>> {
    const [row] = await select(tx, moduleId, [sql`id = ${id}`]);
    return found(noun.table, id, row === undefined ? null : versioned(row, noun.present));
  }

  /** Gives the ids of the rows that are new to the module; the others stay as they are. A name is known in any case. */
  async function insertNew(
    tx: TenantTx,
    moduleId: string,
    rows: readonly NewEntry<Table>[],
  ): Promise<ReadonlySet<string>> {
    const written = Object.keys(rows[0]!).map((column) => sql.ref(column));
    const json = await rowsAsJson(rows);
    const insert = sql<{ id: string }>`
      INSERT INTO ${sql.table(noun.table)} (tenant_id, module_id, ${sql.join(written)})
      SELECT ${tx.tenantId}, ${moduleId}, ${sql.join(written)}
        FROM jsonb_populate_recordset(NULL::${sql.table(noun.table)}, ${json}::jsonb)
      ON CONFLICT DO NOTHING
      RETURNING id`.execute(tx.sql);
    const communities = [...new Set(rows.flatMap((row) => row.community_id ?? []))].join(', ');
    const inserted = await mapConstraintErrors(noun.table, { community_id: communities }, insert);
    return new Set(inserted.rows.map(({ id }) => id));
  }

  return {
    async list(tx, moduleId, query) {
      await getModule(tx, moduleId);
      const { q, cursor: _cursor, limit: _limit, ...filters } = query;
      const conditions = Object.entries(filters).flatMap(([column, value]) =>
        value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
      );
      if (q !== undefined) conditions.push(anyContains(noun.search, q));
      return readPage<EntryRow, Entry>(
        tx,
        `${noun.path} ${moduleId}`,
        query,
        (after, limit) => select(tx, moduleId, [...conditions, sql`id > ${after}`], limit),
        noun.present,
      );
    },

    get,

    async insert(tx, moduleId, rows, pointerOf) {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        const some = rows.slice(at, at + ROWS_AT_ONCE);
        const made = await insertNew(tx, moduleId, some);
        if (made.size === some.length) continue;
        const known = some.flatMap(({ id }, index) => (made.has(id) ? [] : [index]));
        const told = known.slice(0, MAXIMUM_FAULTS).map((index) => ({
          pointer: `${pointerOf(at + index)}/${noun.key}`,
          detail: noun.tellKnown((some[index] as Record<string, unknown>)[noun.key]),
        }));
        throw knownProblem(told, known.length);
      }
      const ids = rows.map(({ id }) => id);
      const made = await select(tx, moduleId, [sql`id = ANY(${ids}::uuid[])`]);
      return mapInSlices(made, (row) => versioned(row, noun.present));
    },

    async update(tx, moduleId, id, set, version) {
      await lockForChange(tx, noun.table, id, version, moduleId);
      const assignments = Object.entries({ ...set, ...nextVersion }).flatMap(([column, value]) =>
        value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
      );
      const update = sql`
        UPDATE ${sql.table(noun.table)} SET ${sql.join(assignments)}
         WHERE tenant_id = ${tx.tenantId} AND id = ${id}`.execute(tx.sql);
      await mapConstraintErrors(noun.table, set, update);
      return get(tx, moduleId, id);
    },

    async remove(tx, moduleId, id, version) {
      await lockForChange(tx, noun.table, id, version, moduleId);
      await sql`DELETE FROM ${sql.table(noun.table)} WHERE tenant_id = ${tx.tenantId} AND id = ${id}`.execute(
        tx.sql,
      );
    },
  };
}

function ofModule(tx: TenantTx, moduleId: string): RawBuilder<unknown> {
  return sql`tenant_id = ${tx.tenantId} AND module_id = ${moduleId}`;
}

function anyContains(texts: readonly RawBuilder<string>[], q: string): RawBuilder<unknown> {
  const pattern = containing(q);
  return sql`(${sql.join(
    texts.map((text) => sql`${text} ILIKE ${pattern}`),
    sql` OR `,
  )})`;
}

/** Bytes as PostgreSQL reads them out of a text. */
async function rowsAsJson(rows: readonly object[]): Promise<string> {
  const texts = await mapInSlices(rows, (row) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : (value as unknown),
        ]),
      ),
    ),
  );
  return `[${texts.join()}]`;
}

/** @param told the first of so many */
function knownProblem(
  told: readonly { readonly pointer: string; readonly detail: string }[],
  count: number,
): Problem {
  const rest = count > 1 ? ` (and ${count - 1} more, see errors)` : '';
  return new Problem('conflict', `${told[0]!.detail.replace(/\.$/, '')}${rest}.`, { errors: told });
}
