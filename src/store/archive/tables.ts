/** What of a database an archive holds: found in the catalog, so that a new table is in it without a word. */
// cspell:ignore attgenerated attidentity attisdropped attname attnum attrelid regnamespace relkind relname relnamespace setval
import type pg from 'pg';
import { SCHEMA } from '../database/migrate.ts';

/** Tables that are restored without rows, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  browser_session: 'whoever signed out since would be signed in again',
  enrollment_token: 'a token that was used since would work a second time',
  event: 'readers of events begin again',
  migration: 'it is written as the schema is made',
  speaker_lease: 'nobody holds a speaker of a database that was away',
  speaker_session: 'the holders of speakers report how sessions are',
};

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Where a column of numbers goes on. */
export interface Counter {
  readonly table: string;
  readonly column: string;
  readonly last: string;
  readonly isCalled: boolean;
}

/** The tables that have rows in an archive, by their names, with all columns but those that the database works out. */
export async function readArchivedTables(client: pg.Client): Promise<ArchivedTable[]> {
  const { rows } = await client.query<ArchivedTable>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> ALL ($2)
        AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      GROUP BY relname ORDER BY relname`,
    [SCHEMA, Object.keys(LEFT_OUT)],
  );
  return rows;
}

/** At least as far as the rows of a snapshot that was taken before: counters know no transactions. */
export async function readCounters(client: pg.Client): Promise<Counter[]> {
  const { rows: columns } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT relname AS table, attname AS column, pg_get_serial_sequence(format('%I.%I', $1::text, relname), attname) AS sequence
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND attidentity <> ''
      ORDER BY 1, 2`,
    [SCHEMA],
  );
  const counters: Counter[] = [];
  for (const { table, column, sequence } of columns) {
    const { rows } = await client.query<{ last: string; isCalled: boolean }>(
      `SELECT last_value::text AS last, is_called AS "isCalled" FROM ${sequence}`,
    );
    counters.push({ table, column, ...rows[0]! });
  }
  return counters;
}

export async function setCounters(client: pg.Client, counters: readonly Counter[]): Promise<void> {
  for (const { table, column, last, isCalled } of counters)
    await client.query(
      "SELECT setval(pg_get_serial_sequence(format('%I.%I', $1::text, $2::text), $3), $4::bigint, $5)",
      [SCHEMA, table, column, last, isCalled],
    );
}

/** `SELECT` and `COPY` of a table name its columns, since a later release may add some. */
export function tableText({ name, columns }: ArchivedTable): string {
  return `${SCHEMA}.${quoted(name)} (${columns.map(quoted).join(', ')})`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
