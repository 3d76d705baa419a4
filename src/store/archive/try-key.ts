/** Whether a key opens what is encrypted in the database. */
import type pg from 'pg';
import { FETCHED_TABLES } from '../database/entry-tables.ts';
import { SCHEMA } from '../database/migrate.ts';
import { contextOf } from '../sealed-values.ts';
import { SecretError, type SecretBox } from '../secrets.ts';

/** Every column whose values are sealed for their row and somebody would have to set again; bundles are issued again by themselves. */
const SEALED = [
  ...FETCHED_TABLES.map((table) => ({ table, column: 'headers_sealed', id: 'id' })),
  { table: 'doh_profile', column: 'headers_sealed', id: 'id' },
  { table: 'peer', column: 'password_sealed', id: 'id' },
  { table: 'signing_key', column: 'private_sealed', id: 'key_id' },
  { table: 'webhook', column: 'secret_sealed', id: 'id' },
];

/** Values of a table that are tried: a key that opens these opens all, or some were stored with another one. */
const LOOKED_AT = 1_000;

export interface SealedValue {
  readonly table: string;
  readonly id: string;
}

/**
 * Tries the key at what is stored.
 * @param client may see the rows of every tenant
 */
export async function tryKey(
  client: pg.Client,
  secrets: SecretBox,
): Promise<{ readonly tried: number; readonly refused: readonly SealedValue[] }> {
  const refused: SealedValue[] = [];
  let tried = 0;
  for (const { table, column, id } of SEALED) {
    const { rows } = await client.query<{ tenant: string; id: string; sealed: Buffer }>(
      `SELECT tenant_id::text AS tenant, ${id}::text AS id, ${column} AS sealed FROM ${SCHEMA}.${table}
        WHERE ${column} IS NOT NULL LIMIT ${LOOKED_AT}`,
    );
    tried += rows.length;
    for (const row of rows) {
      try {
        secrets.open(row.sealed, contextOf(row.tenant, { table, id: row.id }));
      } catch (error) {
        if (!(error instanceof SecretError)) throw error;
        refused.push({ table, id: row.id });
      }
    }
  }
  return { tried, refused };
}
