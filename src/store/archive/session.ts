import pg from 'pg';
import type { DatabaseAddress } from '../database/database-address.ts';

/** What both directions need: texts that any server reads alike, and all the time that they take. */
const SETTINGS = [
  "SET client_encoding = 'UTF8'",
  "SET TimeZone = 'UTC'",
  "SET DateStyle = 'ISO'",
  "SET IntervalStyle = 'postgres'",
  'SET extra_float_digits = 1',
  "SET bytea_output = 'hex'",
  'SET statement_timeout = 0',
  'SET idle_in_transaction_session_timeout = 0',
  "SET lock_timeout = '60s'",
  // Tables are read from their beginning, so that equal ones give equal bytes.
  // cspell:disable-next-line
  'SET synchronize_seqscans = off',
].join('; ');

const CONNECT_MS = 10_000;

/** A connection as the user that owns the database. Its caller ends it. */
export async function connectForArchive(address: DatabaseAddress): Promise<pg.Client> {
  const client = new pg.Client({
    ...address,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'prefixcast-archive',
  });
  // The statement that fails says it.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(SETTINGS);
  return client;
}
