/** PostgreSQL as a whole, as its own statistics show. Numbers are cast to double precision, which all of them fit. */
// cspell:ignore bgwriter blks checkpointer datfrozenxid datid waitstart
import { type RawBuilder, sql } from 'kysely';
import type { PostgresMetrics } from '../../api/operation/postgres.ts';
import type { SystemTx } from '../database/database.ts';

type Part<K extends keyof PostgresMetrics> = NonNullable<PostgresMetrics[K]>;

async function one<T>(tx: SystemTx, query: RawBuilder<T>): Promise<T> {
  return (await query.execute(tx.sql)).rows[0]!;
}

export function readServer(tx: SystemTx): Promise<Part<'server'>> {
  return one(
    tx,
    sql<Part<'server'>>`
      SELECT current_setting('server_version') AS version,
             rfc3339(pg_postmaster_start_time()) AS started_at,
             extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 AS uptime_seconds,
             CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END AS role`,
  );
}

export function readDatabase(tx: SystemTx): Promise<Part<'database'>> {
  return one(
    tx,
    sql<Part<'database'>>`
      SELECT datname::text AS name, pg_database_size(datid)::float8 AS bytes,
             xact_commit::float8 AS commits, xact_rollback::float8 AS rollbacks, deadlocks::float8 AS deadlocks,
             temp_bytes::float8 AS temporary_bytes,
             blks_hit::float8 / nullif(blks_hit + blks_read, 0) AS cache_hit_ratio,
             rfc3339(stats_reset) AS statistics_since
        FROM pg_stat_database WHERE datname = current_database()`,
  );
}

export function readConnections(tx: SystemTx): Promise<Part<'connections'>> {
  return one(
    tx,
    sql<Part<'connections'>>`
      SELECT count(*)::float8 AS total,
             current_setting('max_connections')::float8 AS "limit",
             count(*) FILTER (WHERE state = 'active')::float8 AS active,
             count(*) FILTER (WHERE state = 'idle')::float8 AS idle,
             count(*) FILTER (WHERE state LIKE 'idle in transaction%')::float8 AS idle_in_transaction,
             count(*) FILTER (WHERE state IS NULL
                                 OR (state NOT IN ('active', 'idle') AND state NOT LIKE 'idle in transaction%'))::float8 AS other
        FROM pg_stat_activity
        -- Of other users it is not seen what they are.
       WHERE backend_type = 'client backend' OR (backend_type IS NULL AND datname IS NOT NULL)`,
  );
}

export function readWal(tx: SystemTx): Promise<Part<'wal'>> {
  return one(
    tx,
    sql<Part<'wal'>>`
      SELECT wal_bytes::float8 AS bytes,
             coalesce(wal_bytes::float8 / nullif(extract(epoch FROM clock_timestamp() - began.at)::float8, 0), 0) AS bytes_per_second,
             rfc3339(began.at) AS since
        FROM pg_stat_wal, LATERAL (SELECT coalesce(stats_reset, pg_postmaster_start_time()) AS at) began`,
  );
}

/** Their view is another one since version 17. */
export async function readCheckpoints(tx: SystemTx): Promise<Part<'checkpoints'>> {
  const { version } = await one(
    tx,
    sql<{ version: number }>`SELECT current_setting('server_version_num')::int AS version`,
  );
  return one(
    tx,
    version >= 170_000
      ? sql<Part<'checkpoints'>>`
          SELECT num_timed::float8 AS timed, num_requested::float8 AS requested,
                 write_time / 1000 AS write_seconds, sync_time / 1000 AS sync_seconds
            FROM pg_stat_checkpointer`
      : sql<Part<'checkpoints'>>`
          SELECT checkpoints_timed::float8 AS timed, checkpoints_req::float8 AS requested,
                 checkpoint_write_time / 1000 AS write_seconds, checkpoint_sync_time / 1000 AS sync_seconds
            FROM pg_stat_bgwriter`,
  );
}

export function readTransactions(tx: SystemTx): Promise<Part<'transactions'>> {
  return one(
    tx,
    sql<Part<'transactions'>>`
      SELECT oldest.seconds AS oldest_seconds, oldest.application AS oldest_application,
             age.ids AS id_age, round((age.ids / 2147483647 * 100)::numeric, 3)::float8 AS id_age_percent
        FROM (SELECT age(datfrozenxid)::float8 AS ids FROM pg_database WHERE datname = current_database()) age
        LEFT JOIN (SELECT extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds,
                          nullif(application_name, '') AS application
                     FROM pg_stat_activity
                    WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()
                    ORDER BY xact_start LIMIT 1) oldest ON true`,
  );
}

export async function readWaitingLocks(tx: SystemTx): Promise<Part<'waiting_locks'>> {
  const { rows } = await sql<Part<'waiting_locks'>[number]>`
    SELECT lock.pid, nullif(activity.application_name, '') AS application, lock.mode,
           lock.relation::regclass::text AS "table",
           extract(epoch FROM clock_timestamp() - lock.waitstart)::float8 AS waiting_seconds,
           pg_blocking_pids(lock.pid) AS blocked_by
      FROM pg_locks lock LEFT JOIN pg_stat_activity activity USING (pid)
     WHERE NOT lock.granted
     ORDER BY lock.waitstart, lock.pid LIMIT 100`.execute(tx.sql);
  return rows;
}

export async function readReplicationSlots(tx: SystemTx): Promise<Part<'replication_slots'>> {
  const { rows } = await sql<Part<'replication_slots'>[number]>`
    SELECT slot_name::text AS name, slot_type AS type, active,
           CASE WHEN NOT pg_is_in_recovery()
             THEN pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 END AS retained_bytes
      FROM pg_replication_slots ORDER BY slot_name`.execute(tx.sql);
  return rows;
}

export async function readReplicas(tx: SystemTx): Promise<Part<'replicas'>> {
  const { rows } = await sql<Part<'replicas'>[number]>`
    SELECT nullif(application_name, '') AS application, state,
           -- To a user who may not see it, it is null, of which greatest() would make 0.
           CASE WHEN replay_lsn IS NOT NULL AND NOT pg_is_in_recovery()
             THEN greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::float8 END AS lag_bytes,
           extract(epoch FROM replay_lag)::float8 AS lag_seconds
      FROM pg_stat_replication ORDER BY pid`.execute(tx.sql);
  return rows;
}
