import { sql } from 'kysely';
import type { SystemTx, TenantTx } from './database/database.ts';

/** Something that is to be done for every tenant now and then. */
export interface Duty {
  readonly name: string;
  readonly everyMinutes: number;
}

/** Which of the duties is due for which active tenant, by the clock of the database. */
export async function listDueDuties(
  tx: SystemTx,
  duties: readonly Duty[],
): Promise<{ tenant_id: string; name: string }[]> {
  const names = duties.map(({ name }) => name);
  const minutes = duties.map(({ everyMinutes }) => everyMinutes);
  const { rows } = await sql<{ tenant_id: string; name: string }>`
    SELECT tenant.id AS tenant_id, due.name
      FROM tenant CROSS JOIN unnest(${names}::text[], ${minutes}::int[]) AS due (name, minutes)
     WHERE tenant.status = 'active'
       AND NOT EXISTS (SELECT FROM duty
                        WHERE duty.tenant_id = tenant.id AND duty.name = due.name
                          AND duty.done_at > now() - make_interval(mins => due.minutes))`.execute(tx.sql);
  return rows;
}

/** Notes that the duty is done, in the transaction that does it. @returns false when somebody else has done it since, or the tenant is gone */
export async function claimDuty(tx: TenantTx, { name, everyMinutes }: Duty): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO duty (tenant_id, name, done_at)
    SELECT id, ${name}, now() FROM tenant WHERE id = ${tx.tenantId} FOR KEY SHARE
    ON CONFLICT (tenant_id, name) DO UPDATE SET done_at = excluded.done_at
     WHERE duty.done_at <= now() - make_interval(mins => ${everyMinutes}::int)
    RETURNING name`.execute(tx.sql);
  return rows.length > 0;
}
