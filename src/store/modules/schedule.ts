import { sql } from 'kysely';
import type { SystemTx, TenantTx } from '../database/database.ts';

/**
 * Due by the clock of the database, and neither waiting for its turn nor at work. When a module is due next, triggers say
 * (migrations/0005_schedule.sql).
 */
const IS_DUE = sql<boolean>`
  module.enabled AND module.next_refresh_at <= now()
  AND NOT EXISTS (SELECT FROM job
                   WHERE job.tenant_id = module.tenant_id AND job.resource_id = module.id
                     AND job.type = 'module_refresh' AND job.state IN ('queued', 'running'))`;

/** Active tenants with a module that is due. */
export const TENANTS_WITH_DUE_MODULES = sql<{ id: string }>`
  SELECT tenant.id FROM tenant
   WHERE tenant.status = 'active'
     AND EXISTS (SELECT FROM module WHERE module.tenant_id = tenant.id AND ${IS_DUE})`;

export async function listTenantsWithDueModules(tx: SystemTx): Promise<string[]> {
  const { rows } = await TENANTS_WITH_DUE_MODULES.execute(tx.sql);
  return rows.map(({ id }) => id);
}

/**
 * Takes up to `limit` due modules for this transaction, the longest overdue first; what another transaction takes now is passed
 * over. They are due again after their interval, and again when the refresh that the caller queues has ended.
 * @returns their ids
 */
export async function claimDueModules(tx: TenantTx, limit: number): Promise<string[]> {
  // Materialized, because a subquery may be run for each row, each time with a limit of its own. And whoever looked before we commit
  // finds the row changed, and looks at it again: without the change it would see no job yet.
  const { rows } = await sql<{ id: string }>`
    WITH due AS MATERIALIZED (
      SELECT id FROM module
       WHERE tenant_id = ${tx.tenantId} AND ${IS_DUE}
       ORDER BY next_refresh_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE module SET next_refresh_at = next_refresh(refresh_interval_seconds, refresh_failures)
      FROM due WHERE module.tenant_id = ${tx.tenantId} AND module.id = due.id
    RETURNING module.id`.execute(tx.sql);
  return rows.map(({ id }) => id);
}
