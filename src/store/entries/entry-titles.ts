import { type RawBuilder, sql } from 'kysely';
import { ENTRY_TYPES } from '../../api/entries/entry-kinds.ts';
import type { TenantTx } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';

/** What sentences call these entries, such as `the CDN source aws`. Those that are gone are left out. */
export async function readEntryTitles(
  tx: TenantTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const parts = ENTRY_TYPES.map(
    (type): RawBuilder<unknown> =>
      sql`SELECT id, ${ENTRY_TABLES[type].title} AS title FROM ${sql.table(type)}
           WHERE tenant_id = ${tx.tenantId} AND id = ANY(${[...ids]}::uuid[])`,
  );
  const { rows } = await sql<{ readonly id: string; readonly title: string }>`
    ${sql.join(parts, sql` UNION ALL `)}`.execute(tx.sql);
  return new Map(rows.map(({ id, title }) => [id, title]));
}
