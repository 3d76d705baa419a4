import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseAddress } from '../database/database-address.ts';
import { type Landed, MigrationError, readLandedMigrations } from '../database/migrate.ts';
import { connectForArchive } from './session.ts';
import { type ArchivedTable, type Counter, readArchivedTables, readCounters, tableText } from './tables.ts';

/** What a database is apart from its rows. */
export interface DatabaseFacts {
  /** Such as 18.4. */
  readonly serverVersion: string;
  readonly migrations: readonly Landed[];
  /** The name by which routing daemons distinguish this service's files from others. */
  readonly serviceId: string;
  readonly tables: readonly ArchivedTable[];
}

/**
 * One moment of a database, while the service goes on: a transaction that only reads and sees nothing that is committed later. It waits for
 * nobody, and nobody but a migration waits for it. As long as it lasts, the server keeps rows that are deleted meanwhile.
 */
export class DatabaseSnapshot {
  readonly facts: DatabaseFacts;
  readonly #client: pg.Client;

  private constructor(client: pg.Client, facts: DatabaseFacts) {
    this.#client = client;
    this.facts = facts;
  }

  /** @throws {MigrationError} when the database has nothing of ours */
  static async open(address: DatabaseAddress): Promise<DatabaseSnapshot> {
    const client = await connectForArchive(address);
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const migrations = await readLandedMigrations(client);
      if (migrations === null || migrations.length === 0)
        throw new MigrationError('The database is empty: no service has ever started on it.');
      const tables = await readArchivedTables(client);
      const { rows } = await client.query<{ serverVersion: string; serviceId: string }>(
        `SELECT current_setting('server_version') AS "serverVersion", prefixcast.service_id()::text AS "serviceId"`,
      );
      // Its owner sees no rows: the role of what crosses tenants does.
      await client.query('SET LOCAL ROLE prefixcast_system');
      return new DatabaseSnapshot(client, { ...rows[0]!, migrations, tables });
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** The rows in PostgreSQL's text format of COPY. One table at a time. */
  readRows(table: ArchivedTable): Readable {
    return this.#client.query(copyTo(`COPY ${tableText(table)} TO STDOUT`));
  }

  /** To be read after the rows. */
  async readCounters(): Promise<Counter[]> {
    await this.#client.query('RESET ROLE');
    return readCounters(this.#client);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
