/** VACUUM, ANALYZE and REINDEX of our tables. None of them runs in a transaction, so each run has a connection of its own. */
// cspell:ignore blks indexrelid indisexclusion indisvalid indrelid nspname relname relnamespace
import { sql } from 'kysely';
import pg from 'pg';
import type { PostgresOperation } from '../../api/operation/postgres.ts';
import { asSystem, type TenantTx } from '../database/database.ts';
import { SCHEMA } from '../database/migrate.ts';

/** One number for all processes of this program: the lock's holder may maintain. */
const MAINTENANCE_LOCK = 7_023_154;

const SETTINGS: Readonly<Record<string, string>> = {
  // A large table takes long.
  statement_timeout: '0',
  // None of the awaited locks blocks readers or writers; this limits the wait for open transactions.
  lock_timeout: '60000',
  // Nothing keeps running after a worker was killed.
  client_connection_check_interval: '5000',
  search_path: SCHEMA,
};

/** The server's report about the running statement. */
export interface StatementProgress {
  readonly phase: string;
  /** Blocks, or the unit of the phase; 0: unknown. */
  readonly done: number;
  readonly total: number;
}

const PROGRESS: Readonly<Record<PostgresOperation, string>> = {
  vacuum: `SELECT phase, heap_blks_scanned::float8 AS done, heap_blks_total::float8 AS total FROM pg_stat_progress_vacuum WHERE pid = $1`,
  analyze: `SELECT phase, sample_blks_scanned::float8 AS done, sample_blks_total::float8 AS total FROM pg_stat_progress_analyze WHERE pid = $1`,
  reindex: `SELECT phase, blocks_done::float8 AS done, blocks_total::float8 AS total FROM pg_stat_progress_create_index WHERE pid = $1`,
};

/** The connection that does the work, and one that watches it. */
export class MaintenanceSession {
  readonly #worker: pg.Client;
  readonly #watcher: pg.Client;
  readonly #pid: number;

  /** See {@link MaintenanceSession.begin}. */
  constructor(worker: pg.Client, watcher: pg.Client, pid: number) {
    this.#worker = worker;
    this.#watcher = watcher;
    this.#pid = pid;
  }

  /**
   * @param connect opens a connection of the user that owns the tables
   * @returns null when another run is in progress, in any process
   */
  static async begin(connect: () => Promise<pg.Client>): Promise<MaintenanceSession | null> {
    const worker = await connect();
    try {
      const { rows } = await worker.query<{ locked: boolean; pid: number }>(
        'SELECT pg_try_advisory_lock($1) AS locked, pg_backend_pid() AS pid',
        [MAINTENANCE_LOCK],
      );
      const { locked, pid } = rows[0]!;
      if (!locked) {
        await worker.end();
        return null;
      }
      for (const [name, value] of Object.entries(SETTINGS)) await worker.query(`SET ${name} = '${value}'`);
      return new MaintenanceSession(worker, await connect(), pid);
    } catch (error) {
      await worker.end().catch(() => undefined);
      throw error;
    }
  }

  /** @param name as {@link listOurTables} gives it @throws when it was cancelled, or the server refuses it */
  async perform(operation: PostgresOperation, name: string): Promise<void> {
    for (const statement of await this.#statementsOf(operation, quoted(name)))
      await this.#worker.query(statement);
  }

  /**
   * Indexes are rebuilt one by one: only a superuser could remove the leftovers of one on a TOAST table. Those of exclusion constraints
   * cannot be rebuilt concurrently with writers.
   */
  async #statementsOf(operation: PostgresOperation, table: string): Promise<string[]> {
    if (operation !== 'reindex') return [`${operation.toUpperCase()} ${table}`];
    const { rows } = await this.#worker.query<{ name: string }>(
      `SELECT format('%I.%I', space.nspname, index.relname) AS name
         FROM pg_index JOIN pg_class index ON index.oid = pg_index.indexrelid
         JOIN pg_namespace space ON space.oid = index.relnamespace
        WHERE pg_index.indrelid = to_regclass($1) AND pg_index.indisvalid AND NOT pg_index.indisexclusion
        ORDER BY index.relname`,
      [table],
    );
    return rows.map(({ name }) => `REINDEX INDEX CONCURRENTLY ${name}`);
  }

  /** Null: the statement has not begun, or has ended. */
  async progress(operation: PostgresOperation): Promise<StatementProgress | null> {
    const { rows } = await this.#watcher.query<StatementProgress>(PROGRESS[operation], [this.#pid]);
    return rows[0] ?? null;
  }

  /** Ends the statement at work, which then throws. */
  async cancel(): Promise<void> {
    await this.#watcher.query('SELECT pg_cancel_backend($1)', [this.#pid]);
  }

  /**
   * Removes the leftovers of an interrupted REINDEX: indexes that are maintained but never used.
   * @returns their names
   */
  async removeLeftovers(): Promise<string[]> {
    const { rows } = await this.#worker.query<{ space: string; name: string }>(
      `SELECT space.nspname AS space, index.relname AS name
         FROM pg_index JOIN pg_class index ON index.oid = pg_index.indexrelid
         JOIN pg_namespace space ON space.oid = index.relnamespace
        WHERE space.nspname IN ($1, 'pgboss') AND NOT pg_index.indisvalid AND index.relname ~ '_cc(new|old)[0-9]*$'
        ORDER BY 2`,
      [SCHEMA],
    );
    for (const { space, name } of rows)
      await this.#worker.query(
        `DROP INDEX CONCURRENTLY IF EXISTS ${pg.escapeIdentifier(space)}.${pg.escapeIdentifier(name)}`,
      );
    return rows.map(({ name }) => name);
  }

  /** Frees the lock with the connection. */
  async end(): Promise<void> {
    await Promise.allSettled([this.#worker.end(), this.#watcher.end()]);
  }
}

function quoted(name: string): string {
  return name.split('.').map(pg.escapeIdentifier).join('.');
}

/** Requests take turns: each waits until the one before has been answered. */
const REQUEST_LOCK = 7_023_155;

/** A run that waits or is at work, of whatever tenant that is active; the transaction keeps others from asking meanwhile. */
export async function findOpenMaintenance(tx: TenantTx): Promise<{ readonly jobId: string } | null> {
  await sql`SELECT pg_advisory_xact_lock(${REQUEST_LOCK}::bigint)`.execute(tx.sql);
  return asSystem(tx, async (system) => {
    const { rows } = await sql<{ id: string }>`
      SELECT job.id FROM job
       WHERE job.state IN ('queued', 'running') AND job.parked_at IS NULL
         AND (job.type = 'postgres_maintenance'
              OR (job.type = 'maintenance_policy_run'
                  AND EXISTS (SELECT FROM maintenance_policy policy
                               WHERE policy.tenant_id = job.tenant_id AND policy.id = job.resource_id
                                 AND policy.kind LIKE 'postgres\\_%')))
       LIMIT 1`.execute(system.sql);
    return rows[0] === undefined ? null : { jobId: rows[0].id };
  });
}
