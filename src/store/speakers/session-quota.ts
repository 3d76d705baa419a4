import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { quotaProblem } from '../database/quota-problem.ts';

/**
 * Runs `work`, which changes speakers or peers, and refuses it when the tenant then has more sessions than its quota and than before: a
 * tenant with too many may still remove some. Sessions follow from speakers, peers and their links, so they are counted when a whole change
 * is written; other changes of the tenant wait meanwhile, so that no two take the last place.
 * @throws {Problem} `quota_exceeded`, and what `work` throws
 */
export async function withinSessionQuota<T>(tx: TenantTx, work: () => Promise<T>): Promise<T> {
  const { maximum, used: before } = await lockQuota(tx);
  const result = await work();
  const { used } = await lockQuota(tx);
  if (used > maximum && used > before)
    throw quotaProblem({ resource: 'sessions', maximum, used: before, more: used - before });
  return result;
}

async function lockQuota(tx: TenantTx): Promise<{ maximum: number; used: number }> {
  const { rows } = await sql<{ maximum: number; used: number }>`
    SELECT maximum::float8 AS maximum, sessions_used(tenant_id)::float8 AS used
      FROM tenant_quota WHERE tenant_id = ${tx.tenantId} AND resource = 'sessions' FOR UPDATE`.execute(
    tx.sql,
  );
  return rows[0]!;
}
