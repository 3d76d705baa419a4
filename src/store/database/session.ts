import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { SCHEMA } from './migrate.ts';
import type { Tables } from '../generated/rows.ts';

/** The query builder on one connection; transactions are started and ended outside it. */
export type Session = Kysely<Tables>;

/** Sets, beside other settings of a transaction, who makes its edits (migrations/0057_editors.sql); null: nobody. */
export function actorSetting(actor: string | null): string {
  if (actor === null) return '';
  return `, set_config('app.actor', ${pg.escapeLiteral(actor.replaceAll('\0', ''))}, true)`;
}

/** What every session starts with. Milliseconds; the server ends what takes longer. */
const SETTINGS: Readonly<Record<string, string>> = {
  search_path: SCHEMA,
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  statement_timeout: '30000',
  lock_timeout: '15000',
  // Building a large revision happens between two statements of one transaction.
  idle_in_transaction_session_timeout: '120000',
  // A statement takes one process of the server: others take 20 ms to start, and the time of other tenants.
  max_parallel_workers_per_gather: '0',
};

/** How long a request waits for a lock; meanwhile it keeps a connection from its own tenant. */
const LOCK_MS_OF_REQUESTS = '3000';

/**
 * The purpose of a session: `requests` wait for locks only briefly, `bulk` runs large requests; `system` runs single statements that see
 * every tenant.
 */
export type SessionPurpose = 'requests' | 'bulk' | 'work' | 'system';

const SETTINGS_OF: Readonly<Record<SessionPurpose, Readonly<Record<string, string>>>> = {
  work: SETTINGS,
  requests: { ...SETTINGS, lock_timeout: LOCK_MS_OF_REQUESTS },
  bulk: { ...SETTINGS, lock_timeout: LOCK_MS_OF_REQUESTS },
  system: { ...SETTINGS, role: 'prefixcast_system' },
};

export async function openSession(client: pg.PoolClient, purpose: SessionPurpose): Promise<Session> {
  // The pool listens only to idle connections. A broken connection in use shows in the statement that fails.
  client.on('error', () => undefined);
  await client.query(
    Object.entries(SETTINGS_OF[purpose])
      .map(([name, value]) => `SET ${name} = '${value}'`)
      .join('; '),
  );
  const lent = { query: preparing(client) as never, release: () => undefined };
  const pool = { connect: () => Promise.resolve(lent), end: () => Promise.resolve(), options: {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Statements that a connection keeps prepared; bulk inserts differ by their number of rows and would displace the rest. */
const PREPARED = 100;
const PREPARED_CHARACTERS = 4_000;

const PLANNED_EACH_TIME_MARK = '/* planned each time */';

/**
 * Ends a statement whose plan depends on the searched value, such as a page of rows in a rare state: planned without the value, it may scan
 * a million rows in the order of the page.
 */
export const PLANNED_EACH_TIME: RawBuilder<unknown> = sql.raw(PLANNED_EACH_TIME_MARK);

export function isPlannedEachTime(text: string): boolean {
  return text.includes(PLANNED_EACH_TIME_MARK);
}

/** Sends statements as prepared ones, so that the server parses and plans each only once per connection. */
function preparing(client: pg.PoolClient): (text: string, values: unknown[]) => Promise<unknown> {
  const names = new Map<string, string>();
  return (text, values) => {
    let name = names.get(text);
    const isKept = text.length <= PREPARED_CHARACTERS && !isPlannedEachTime(text);
    if (name === undefined && names.size < PREPARED && isKept) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return client.query(name === undefined ? { text, values } : { name, text, values });
  };
}
