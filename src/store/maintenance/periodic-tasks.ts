import { sql } from 'kysely';
import type { SystemTx, TenantTx } from '../database/database.ts';

/** Something that is to be done for every tenant now and then. The table calls it a duty. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMinutes: number;
}

/** Which of the tasks is due for which active tenant, by the clock of the database. */
export async function listDueTasks(
  tx: SystemTx,
  tasks: readonly PeriodicTask[],
): Promise<{ tenant_id: string; name: string }[]> {
  const names = tasks.map(({ name }) => name);
  const minutes = tasks.map(({ everyMinutes }) => everyMinutes);
  const { rows } = await sql<{ tenant_id: string; name: string }>`
    SELECT tenant.id AS tenant_id, due.name
      FROM tenant CROSS JOIN unnest(${names}::text[], ${minutes}::int[]) AS due (name, minutes)
     WHERE tenant.status = 'active'
       AND NOT EXISTS (SELECT FROM duty
                        WHERE duty.tenant_id = tenant.id AND duty.name = due.name
                          AND duty.done_at > now() - make_interval(mins => due.minutes))`.execute(tx.sql);
  return rows;
}

/** Notes that the task is done, in the transaction that does it. @returns false when somebody else has done it since, or the tenant is gone */
export async function claimTask(tx: TenantTx, { name, everyMinutes }: PeriodicTask): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO duty (tenant_id, name, done_at)
    SELECT id, ${name}, now() FROM tenant WHERE id = ${tx.tenantId} FOR KEY SHARE
    ON CONFLICT (tenant_id, name) DO UPDATE SET done_at = excluded.done_at
     WHERE duty.done_at <= now() - make_interval(mins => ${everyMinutes}::int)
    RETURNING name`.execute(tx.sql);
  return rows.length > 0;
}

/** When a task that follows a schedule was looked after last, and what time the database has. */
export interface ScheduledTask {
  readonly doneAt: Date;
  readonly now: Date;
}

/**
 * Begins to look after a task that follows a schedule, as if it had been done now; else waits until no other transaction holds it.
 * @returns null when it has begun
 */
export async function lockScheduledTask(tx: TenantTx, name: string): Promise<ScheduledTask | null> {
  const begun = await tx.sql
    .insertInto('duty')
    .values({ tenant_id: tx.tenantId, name, done_at: sql<string>`clock_timestamp()` })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .execute();
  if (begun.length > 0) return null;
  const row = await tx.sql
    .selectFrom('duty')
    .select(['done_at', sql<string>`clock_timestamp()::timestamptz(3)`.as('now')])
    .where('tenant_id', '=', tx.tenantId)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : { doneAt: new Date(row.done_at), now: new Date(row.now) };
}

export async function noteScheduledTask(tx: TenantTx, name: string, now: Date): Promise<void> {
  await tx.sql
    .updateTable('duty')
    .set({ done_at: now.toISOString() })
    .where('tenant_id', '=', tx.tenantId)
    .where('name', '=', name)
    .execute();
}

/** It begins again once it is looked after again. */
export async function forgetTask(tx: TenantTx, name: string): Promise<void> {
  await tx.sql.deleteFrom('duty').where('tenant_id', '=', tx.tenantId).where('name', '=', name).execute();
}
