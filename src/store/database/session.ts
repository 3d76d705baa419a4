import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { SCHEMA } from './migrate.ts';
import type { Tables } from '../generated/rows.ts';

/** The query builder on one connection; transactions are begun and ended outside of it. */
export type Session = Kysely<Tables>;

/** What every session starts with. Milliseconds; the server ends what takes longer. */
const SETTINGS: Readonly<Record<string, string>> = {
  search_path: SCHEMA,
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  statement_timeout: '30000',
  lock_timeout: '15000',
  // Building a large revision happens between two statements of one transaction.
  idle_in_transaction_session_timeout: '120000',
};

/** Whoever sends a request waits for others no longer than this; meanwhile it keeps a connection from its own tenant. */
const LOCK_MS_OF_REQUESTS = '3000';

/** @param purpose requests wait for locks for a short time only */
export async function openSession(
  client: pg.PoolClient,
  purpose: 'requests' | 'work' = 'work',
): Promise<Session> {
  // The pool listens to idle connections only. Whoever uses this one is told by the statement that fails.
  client.on('error', () => undefined);
  await client.query(
    Object.entries(purpose === 'work' ? SETTINGS : { ...SETTINGS, lock_timeout: LOCK_MS_OF_REQUESTS })
      .map(([name, value]) => `SET ${name} = '${value}'`)
      .join('; '),
  );
  const lent = { query: preparing(client) as never, release: () => undefined };
  const pool = { connect: () => Promise.resolve(lent), end: () => Promise.resolve(), options: {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Statements that one connection keeps prepared; those of bulk inserts differ by their number of rows and would crowd the rest out. */
const PREPARED = 100;
const PREPARED_CHARACTERS = 4_000;

/** Sends statements so that the server parses and plans each but once for a connection. */
function preparing(client: pg.PoolClient): (text: string, values: unknown[]) => Promise<unknown> {
  const names = new Map<string, string>();
  return (text, values) => {
    let name = names.get(text);
    if (name === undefined && names.size < PREPARED && text.length <= PREPARED_CHARACTERS) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return client.query(name === undefined ? { text, values } : { name, text, values });
  };
}
