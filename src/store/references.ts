/** Columns of rules and feeds that list ids: PostgreSQL has no foreign keys of arrays. */
import { sql } from 'kysely';
import { Problem } from '../api/problems/problem.ts';
import type { TenantTx } from './database/database.ts';

/** How many of the objects in the way an error names. */
const NAMED = 5;

/** Columns that list ids: the table that each refers to, and what a reader calls one of its rows. */
const REFERENCES = {
  module_ids: { table: 'module', noun: 'module' },
  community_ids: { table: 'community', noun: 'community' },
  client_ids: { table: 'firewall_client', noun: 'firewall client' },
} as const;
export type Reference = keyof typeof REFERENCES;

/** Tables that have such columns, and what a reader calls one of their rows. */
const HOLDERS = [
  { table: 'firewall_rule', noun: 'firewall rule', columns: ['module_ids', 'community_ids', 'client_ids'] },
  { table: 'feed', noun: 'feed', columns: ['module_ids', 'community_ids'] },
] as const satisfies readonly {
  table: string;
  noun: string;
  columns: readonly Reference[];
}[];

/** Those of the ids that belong to nothing. What the others belong to cannot be deleted until the transaction ends. */
export async function findUnknownReferences(
  tx: TenantTx,
  column: Reference,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${sql.table(REFERENCES[column].table)}
     WHERE tenant_id = ${tx.tenantId} AND id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR KEY SHARE`.execute(
    tx.sql,
  );
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id.toLowerCase()));
}

/**
 * A rule or a feed without what it names would mean something else, up to everything in place of one thing.
 * @throws {Problem} `in_use` with the first rules or feeds that name the id
 */
export async function requireUnreferenced(tx: TenantTx, column: Reference, id: string): Promise<void> {
  for (const { table, noun, columns } of HOLDERS) {
    if (!(columns as readonly Reference[]).includes(column)) continue;
    const { rows } = await sql<{ name: string; holders: string }>`
      SELECT name, count(*) OVER () AS holders FROM ${sql.table(table)}
       WHERE tenant_id = ${tx.tenantId} AND ${id}::uuid = ANY (${sql.ref(column)})
       ORDER BY id LIMIT ${NAMED}`.execute(tx.sql);
    const [first] = rows;
    if (first === undefined) continue;
    const shown = rows.map(({ name }) => `the ${noun} ${name}`).join(', ');
    const unnamed = Number(first.holders) - rows.length;
    const rest = unnamed > 0 ? ` and ${unnamed} more` : '';
    throw new Problem(
      'in_use',
      `The ${REFERENCES[column].noun} is used by ${shown}${rest}. Take it out of their ${column} first.`,
    );
  }
}
