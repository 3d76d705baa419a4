// cspell:ignore conname connamespace conrelid constraintdef contype regclass regnamespace relkind relname relnamespace
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { DatabaseAddress } from '../database/database-address.ts';
import { createSchema, type Migration, SCHEMA } from '../database/migrate.ts';
import type { SecretBox } from '../secrets.ts';
import { tryKey } from './try-key.ts';
import { FillError, refuseOthersBeside } from './refuse-others.ts';
import { connectForArchive } from './session.ts';
import { type ArchivedTable, type Counter, quoted, setCounters, tableText } from './tables.ts';

/** Further than the events of a day: numbers that readers have seen since are none that come again. */
const EVENTS_SKIPPED = 1_000_000;

export interface FillOptions {
  /** The schema to make: those of the archive. */
  readonly migrations: readonly Migration[];
  readonly serviceId: string;
  /** What is there may go. */
  readonly mayReplace: boolean;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Makes a database out of rows, in one transaction: it is whole or as it was before, wherever this is killed. Triggers do not run, since
 * what they would write is among the rows, and references are checked at the end, in one go.
 */
export class DatabaseFill {
  readonly #client: pg.Client;
  readonly #tables: readonly string[];
  readonly #keys: readonly ForeignKey[];

  private constructor(client: pg.Client, tables: readonly string[], keys: readonly ForeignKey[]) {
    this.#client = client;
    this.#tables = tables;
    this.#keys = keys;
  }

  /**
   * @throws {FillError} when others are connected, or something is there that may not go
   * @throws {MigrationError} when a right is missing
   */
  static async begin(address: DatabaseAddress, options: FillOptions): Promise<DatabaseFill> {
    const client = await connectForArchive(address);
    try {
      await refuseOthersBeside(client);
      if (!options.mayReplace) await refuseContents(client);
      await client.query('BEGIN');
      await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA}, pgboss CASCADE`);
      await createSchema(client, options.migrations);
      await client.query(`SET LOCAL search_path = ${SCHEMA}`);
      // A migration made up a name for a new service.
      await client.query(
        `CREATE OR REPLACE FUNCTION service_id() RETURNS uuid LANGUAGE sql IMMUTABLE AS $id$ SELECT ${pg.escapeLiteral(options.serviceId)}::uuid $id$`,
      );
      const tables = await readTableNames(client);
      const keys = await readForeignKeys(client);
      for (const { table, name } of keys)
        await client.query(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
      for (const table of tables)
        await client.query(
          `ALTER TABLE ${quoted(table)} DISABLE TRIGGER USER, NO FORCE ROW LEVEL SECURITY; DELETE FROM ${quoted(table)}`,
        );
      return new DatabaseFill(client, tables, keys);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Takes rows in PostgreSQL's text format of COPY; `rowCount` of what it gives says how many, when it is finished. */
  writeRows(table: ArchivedTable): Writable & { readonly rowCount: number | null } {
    return this.#client.query(copyFrom(`COPY ${tableText(table)} FROM STDIN`));
  }

  /** The rows as they are there now. */
  readRows(table: ArchivedTable): Readable {
    return this.#client.query(copyTo(`COPY ${tableText(table)} TO STDOUT`));
  }

  /** Tries the key at what was written. */
  tryKey(secrets: SecretBox): ReturnType<typeof tryKey> {
    return tryKey(this.#client, secrets);
  }

  /** Checks what refers to what. */
  async complete(counters: readonly Counter[]): Promise<void> {
    const client = this.#client;
    await setCounters(client, counters);
    await settle(client);
    for (const { table, name, definition } of this.#keys)
      await client.query(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
    for (const table of this.#tables)
      await client.query(`ALTER TABLE ${quoted(table)} ENABLE TRIGGER USER, FORCE ROW LEVEL SECURITY`);
  }

  /** Keeps all that was written. */
  async commit(): Promise<void> {
    const client = this.#client;
    await client.query('COMMIT');
    // Only makes the first queries fast, so nothing is lost where it fails.
    for (const table of this.#tables)
      await client.query(`ANALYZE ${SCHEMA}.${quoted(table)}`).catch(() => undefined);
    await client.end();
  }

  /** Leaves the database as it was. */
  async abandon(): Promise<void> {
    await this.#client.end();
  }
}

async function refuseContents(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `${SCHEMA}.tenant`,
  ]);
  if (rows[0]?.exists !== true) return;
  await client.query('BEGIN; SET LOCAL ROLE prefixcast_system');
  const { rows: tenants } = await client.query<{ count: string }>(
    `SELECT count(*)::text AS count FROM ${SCHEMA}.tenant`,
  );
  await client.query('ROLLBACK');
  if (tenants[0]?.count === '0') return;
  throw new FillError('not_empty', 'The database holds data already, which --replace would delete.');
}

async function readTableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> 'migration' ORDER BY 1`,
    [SCHEMA],
  );
  return rows.map(({ name }) => name);
}

async function readForeignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `SELECT relname AS table, conname AS name, pg_get_constraintdef(pg_constraint.oid) AS definition
       FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
      WHERE contype = 'f' AND relnamespace = $1::regnamespace ORDER BY 1, 2`,
    [SCHEMA],
  );
  return rows;
}

/** What was under way when the snapshot was taken, and would wait for ever. */
async function settle(client: pg.Client): Promise<void> {
  // The messages of jobs are not in the archive. A parked job gets one when the service starts: see resumeParkedJobs.
  await client.query(
    `UPDATE job SET state = 'queued', holder = NULL, attempt = 0, progress = NULL, parked_at = now()
      WHERE state IN ('queued', 'running')`,
  );
  await client.query(
    'UPDATE event_counter SET last_sequence = last_sequence + $1, pruned_sequence = last_sequence + $1',
    [EVENTS_SKIPPED],
  );
}
