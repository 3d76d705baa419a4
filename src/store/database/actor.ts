import { sql } from 'kysely';
import type { TenantTx } from './database.ts';

/** Says on whose behalf this transaction removes something: triggers sign what they remember with it. */
export async function signRemovals(tx: TenantTx, actor: string): Promise<void> {
  await sql`SELECT set_config('app.actor', ${actor}, true)`.execute(tx.sql);
}

/** What this transaction removes from here on is not remembered. @param tx of whoever removes a tenant with all it has */
export async function forgetRemovals(tx: { readonly sql: TenantTx['sql'] }): Promise<void> {
  await sql`SELECT set_config('app.forgets_removed', 'on', true)`.execute(tx.sql);
}
