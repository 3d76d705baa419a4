/** Our tables and their indexes: those of the service, and those of its job queue, named with their schema. */
// cspell:ignore autoanalyze indexrelid indisvalid indrelid nspname relid relkind relname relnamespace reltuples
import { sql } from 'kysely';
import type { PostgresMetrics } from '../../api/operation/postgres.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import { SCHEMA } from '../database/migrate.ts';

/** The schema of pg-boss. */
const QUEUE_SCHEMA = 'pgboss';

const NAME = sql`CASE WHEN space.nspname = ${SCHEMA} THEN '' ELSE space.nspname || '.' END || relation.relname`;
const OURS = sql`space.nspname IN (${SCHEMA}, ${QUEUE_SCHEMA})`;
/** Of all rows on disk those that are dead; the server counts both by and by. */
const DEAD_SHARE = sql`coalesce(stat.n_dead_tup::float8 / nullif(stat.n_live_tup + stat.n_dead_tup, 0), 0)`;

type Table = NonNullable<PostgresMetrics['tables']>[number];
type Index = NonNullable<PostgresMetrics['indexes']>[number];

/** The names of all of them, in order. */
export async function listOurTables(tx: SystemTx | TenantTx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT ${NAME} AS name
      FROM pg_class relation JOIN pg_namespace space ON space.oid = relation.relnamespace
     WHERE ${OURS} AND relation.relkind = 'r' ORDER BY 1`.execute(tx.sql);
  return rows.map(({ name }) => name);
}

export async function readTables(tx: SystemTx | TenantTx): Promise<Table[]> {
  const { rows } = await sql<Table>`
    SELECT ${NAME} AS name, pg_table_size(relation.oid)::float8 AS bytes,
           -- Nothing is counted before the first vacuum or analyze.
           greatest(stat.n_live_tup, relation.reltuples, 0)::float8 AS rows,
           stat.n_dead_tup::float8 AS dead_rows,
           round(pg_table_size(relation.oid) * ${DEAD_SHARE})::float8 AS bloat_bytes,
           stat.seq_scan::float8 AS sequential_scans, coalesce(stat.idx_scan, 0)::float8 AS index_scans,
           rfc3339(greatest(stat.last_vacuum, stat.last_autovacuum)) AS last_vacuum_at,
           rfc3339(greatest(stat.last_analyze, stat.last_autoanalyze)) AS last_analyze_at
      FROM pg_class relation
      JOIN pg_namespace space ON space.oid = relation.relnamespace
      JOIN pg_stat_all_tables stat ON stat.relid = relation.oid
     WHERE ${OURS} AND relation.relkind = 'r' ORDER BY 1`.execute(tx.sql);
  return rows;
}

export async function readIndexes(tx: SystemTx | TenantTx): Promise<Index[]> {
  const { rows } = await sql<Index>`
    SELECT index.relname::text AS name, ${NAME} AS "table", pg_relation_size(index.oid)::float8 AS bytes,
           coalesce(uses.idx_scan, 0)::float8 AS scans,
           round(pg_relation_size(index.oid) * ${DEAD_SHARE})::float8 AS bloat_bytes, pg_index.indisvalid AS is_valid
      FROM pg_index
      JOIN pg_class index ON index.oid = pg_index.indexrelid AND index.relkind = 'i'
      JOIN pg_class relation ON relation.oid = pg_index.indrelid AND relation.relkind = 'r'
      JOIN pg_namespace space ON space.oid = relation.relnamespace
      JOIN pg_stat_all_tables stat ON stat.relid = relation.oid
      LEFT JOIN pg_stat_all_indexes uses ON uses.indexrelid = index.oid
     WHERE ${OURS} ORDER BY 2, 1`.execute(tx.sql);
  return rows;
}
