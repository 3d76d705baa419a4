/**
 * What the tables of entries have in common: every entry belongs to a module, is listed, read, inserted, changed and deleted in it, and one
 * of its columns is unique there. A noun defines its table, its columns and its presentation ({@link EntryNoun}); see as-entries.ts for a
 * minimal one.
 */
import { sql, type RawBuilder } from 'kysely';
import type { EntryType } from '../../api/entries/entry-kinds.ts';
import { Problem } from '../../api/problems/problem.ts';
import { mapInSlices, rest } from '../../concurrency/slices.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { identifyModule } from '../modules/modules.ts';
import { containing, fetchEach, readPage, valuesOf } from '../database/pagination.ts';
import { PLANNED_EACH_TIME } from '../database/session.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';
import { withCommunities } from './entry-communities.ts';
import { readOrderedEntries } from './ordered-entries.ts';
import type { Columns, Row, EntryNoun, EntryFilter, NewEntry, EntryStore } from './entry-noun.ts';

/** Columns of every entry. */
export const ENTRY_COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'module_id',
  'enabled',
  'community_id',
  'community_ids',
  'expires_at',
  'version',
] as const;

/** Columns of entries that are read from a source. */
export const COLLECTED_COLUMNS = [
  'last_refreshed_at',
  'status',
  'last_error',
  'prefix_count_ipv4',
  'prefix_count_ipv6',
] as const;

/** Rows of one INSERT: some ten milliseconds of the database. */
const ROWS_AT_ONCE = 1_000;
/** As many as a tenant may have. */
const MOST_ENTRIES = 1_000_000;
/** Before every id. */
const NO_ENTRY = '00000000-0000-0000-0000-000000000000';
/** Most faults in an answer. */
const MAXIMUM_FAULTS = 100;

/** What one statement may be asked for. */
type OneStatus = EntryFilter & { readonly status?: string | undefined };

export function entryStore<Table extends EntryType, Column extends Columns<Table>, Entry>(
  noun: EntryNoun<Table, Column, Entry>,
): EntryStore<Table, Entry> {
  type EntryRow = Row<Table, Column> & { readonly id: string; readonly version: number };
  const table = sql.table(noun.table);
  // Whether each is among those that a held snapshot is about: a list of them is hashed once, where a look for each row went through all of it.
  const columnsOf = (tx: TenantTx, moduleId: string): RawBuilder<unknown> =>
    sql.join([
      ...noun.columns.map((column) => sql.ref(column)),
      sql`${table}.id IN (
        SELECT unnest(h.entry_ids) FROM held_snapshot h
         WHERE h.tenant_id = ${tx.tenantId} AND h.module_id = ${moduleId}) AS held`,
    ]);

  /** Rows of the module that meet the conditions, in the order of ids. */
  async function select(
    tx: TenantTx,
    moduleId: string,
    conditions: readonly RawBuilder<unknown>[],
    {
      limit,
      isFiltered = false,
      isDescending = false,
    }: { readonly limit?: number; readonly isFiltered?: boolean; readonly isDescending?: boolean } = {},
  ): Promise<EntryRow[]> {
    const { rows } = await sql<EntryRow>`
      SELECT ${columnsOf(tx, moduleId)} FROM ${sql.table(noun.table)}
       WHERE ${sql.join([ofModule(tx, moduleId), ...conditions], sql` AND `)}
       ORDER BY id ${isDescending ? sql`DESC` : sql``} LIMIT ${limit ?? null} ${isFiltered ? PLANNED_EACH_TIME : sql``}`.execute(
      tx.sql,
    );
    return rows;
  }

  async function get(tx: TenantTx, moduleId: string, id: string): Promise<Versioned<Entry>> {
    const [row] = await select(tx, moduleId, [sql`id = ${id}`]);
    return found(noun.table, id, row === undefined ? null : versioned(row, noun.present));
  }

  /** Returns the ids of the rows that are new to the module; the others stay unchanged. Names are compared without case. */
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
    const communities = [...new Set(rows.flatMap((row) => row.community_ids))].join(', ');
    const values = { community_id: communities, community_ids: communities };
    const inserted = await mapConstraintErrors(noun.table, values, insert);
    return new Set(inserted.rows.map(({ id }) => id));
  }

  /** Conditions for entries after `after`. @param limit the number requested */
  function conditionsOf(
    moduleId: string,
    { ids, q, enabled: isEnabled, status: hasStatus }: OneStatus,
    after: string,
    limit: number,
    isDescending = false,
  ): RawBuilder<unknown>[] {
    const [enabled, status] = [isEnabled ?? null, hasStatus ?? null];
    // The named ones may be few of those that are found.
    const most = ids === undefined ? limit : MOST_ENTRIES;
    return [
      ...(enabled === null ? [] : [sql`enabled = ${enabled}`]),
      ...(status === null ? [] : [sql`status = ${status}`]),
      ...(ids === undefined ? [] : [sql`id = ANY(${ids}::uuid[])`]),
      isDescending ? sql`id < ${after}` : sql`id > ${after}`,
      ...(q === undefined
        ? []
        : // A subquery, which is evaluated once: the function itself might be evaluated for each row.
          [
            sql`id = ANY((SELECT search_entries(${noun.table}, ${moduleId}, ${containing(q)}, ${enabled}, ${status}, ${after}, ${most}))::uuid[])`,
          ]),
    ];
  }

  return {
    async list(tx, moduleId, query) {
      await identifyModule(tx, moduleId);
      const { sort, ...unsorted } = query;
      const { cursor: _cursor, limit: _limit, ...filter } = unsorted;
      const isDescending = sort === '-created_at';
      // What is searched for is looked for from the oldest on.
      if (sort === 'name' || sort === '-name' || (isDescending && filter.q !== undefined))
        return readOrderedEntries<EntryRow, Entry>(
          tx,
          moduleId,
          { ...noun, columns: columnsOf(tx, moduleId) },
          { ...query, sort },
        );
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      return readPage<EntryRow, Entry>(
        tx,
        `${noun.path} ${moduleId}`,
        sort === undefined ? unsorted : { ...unsorted, sort },
        (after, limit) =>
          fetchEach(
            valuesOf(filter.status),
            (status) => {
              const conditions = conditionsOf(moduleId, { ...filter, status }, after, limit, isDescending);
              return select(tx, moduleId, conditions, { limit, isFiltered, isDescending });
            },
            { isDescending, limit },
          ),
        noun.present,
      );
    },

    get,

    async insert(tx, moduleId, rows, pointerOf) {
      const known: number[] = [];
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        const began = performance.now();
        const some = rows.slice(at, at + ROWS_AT_ONCE);
        const made = await insertNew(tx, moduleId, some);
        some.forEach(({ id }, index) => {
          if (!made.has(id)) known.push(at + index);
        });
        if (at + ROWS_AT_ONCE < rows.length) await rest(began);
      }
      if (known.length > 0) {
        const faults = known.slice(0, MAXIMUM_FAULTS).map((index) => ({
          pointer: `${pointerOf(index)}/${noun.key}`,
          detail: noun.describeDuplicate((rows[index] as Record<string, unknown>)[noun.key]),
        }));
        throw duplicateProblem(faults, known.length);
      }
      const ids = rows.map(({ id }) => id);
      const made = await select(tx, moduleId, [sql`id = ANY(${ids}::uuid[])`]);
      return mapInSlices(made, (row) => versioned(row, noun.present));
    },

    async update(tx, moduleId, id, set, version) {
      await lockForChange(tx, noun.table, id, version, moduleId);
      const update = sql`
        UPDATE ${sql.table(noun.table)} SET ${assignmentsOf(set)}
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

    many: {
      async lock(tx, moduleId, which, limit) {
        const ids: string[] = [];
        for (const status of valuesOf(which.status)) {
          const conditions = conditionsOf(moduleId, { ...which, status }, NO_ENTRY, limit);
          const { rows } = await sql<{ id: string }>`
            SELECT id FROM ${sql.table(noun.table)}
             WHERE ${sql.join([ofModule(tx, moduleId), ...conditions], sql` AND `)}
             ORDER BY id LIMIT ${limit} FOR UPDATE`.execute(tx.sql);
          for (const { id } of rows) ids.push(id);
        }
        return ids.sort().slice(0, limit);
      },

      async update(tx, moduleId, ids, set) {
        const update = sql`
          UPDATE ${sql.table(noun.table)} SET ${assignmentsOf(set)}
           WHERE ${ofModule(tx, moduleId)} AND id = ANY(${ids}::uuid[])`.execute(tx.sql);
        await mapConstraintErrors(noun.table, set, update);
        return mapInSlices(await select(tx, moduleId, [sql`id = ANY(${ids}::uuid[])`]), noun.present);
      },

      async remove(tx, moduleId, ids) {
        await sql`
          DELETE FROM ${sql.table(noun.table)}
           WHERE ${ofModule(tx, moduleId)} AND id = ANY(${ids}::uuid[])`.execute(tx.sql);
      },

      async names(tx, moduleId, ids) {
        const { rows } = await sql<{ name: string }>`
          SELECT ${ENTRY_TABLES[noun.table].name} AS name FROM ${sql.table(noun.table)}
           WHERE ${ofModule(tx, moduleId)} AND id = ANY(${ids}::uuid[])
           ORDER BY id`.execute(tx.sql);
        return rows.map(({ name }) => name);
      },
    },
  };
}

/** The assignments of a change; undefined members stay. */
function assignmentsOf(set: object): RawBuilder<unknown> {
  const given = Object.entries({ ...withCommunities(set), ...nextVersion }).filter(
    ([, value]) => value !== undefined,
  );
  return sql.join(given.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

function ofModule(tx: TenantTx, moduleId: string): RawBuilder<unknown> {
  return sql`tenant_id = ${tx.tenantId} AND module_id = ${moduleId}`;
}

/** Bytes that PostgreSQL parses as text. */
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

/** @param faults the first ones */
function duplicateProblem(
  faults: readonly { readonly pointer: string; readonly detail: string }[],
  count: number,
): Problem {
  const rest = count > 1 ? ` (and ${count - 1} more, see errors)` : '';
  return new Problem('conflict', `${faults[0]!.detail.replace(/\.$/, '')}${rest}.`, { errors: faults });
}
