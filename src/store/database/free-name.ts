import { sql } from 'kysely';
import type { TenantTx } from './database.ts';

/** The name or, if a row of the tenant has it already in any case, the first of `name 2`, `name 3` … that is free. */
export async function freeName(
  tx: TenantTx,
  table: 'doh_profile' | 'firewall_client' | 'webhook',
  name: string,
): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND name ILIKE ${`${name.replace(/[\\%_]/g, '\\$&')}%`}`.execute(
    tx.sql,
  );
  const taken = new Set(rows.map((row) => row.name.toUpperCase()));
  let free = name;
  for (let number = 2; taken.has(free.toUpperCase()); number++) free = `${name} ${number}`;
  return free;
}
