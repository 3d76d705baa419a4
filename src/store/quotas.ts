import { sql } from 'kysely';
import type pg from 'pg';
import { QUOTAS, type QuotaName, type Quotas } from '../api/tenants.ts';
import { Problem } from '../api/problem.ts';
import type { SystemTx } from './database/database.ts';

/** The code with which the triggers of migration 9 refuse a row. */
export const QUOTA_EXCEEDED = 'PC001';

/** The refusal of a trigger in words. */
export function quotaProblem(error: pg.DatabaseError): Problem {
  const { resource, maximum, used, more } = JSON.parse(error.detail ?? '{}') as {
    resource: QuotaName;
    maximum: number;
    used: number;
    more: number;
  };
  return new Problem(
    'quota_exceeded',
    `${QUOTAS[resource]}: the tenant may have ${maximum} and has ${used}; ${more} more would be too many. ` +
      'Delete some, or ask the operator of the service for more.',
  );
}

/** Of one tenant, in every resource: what it may have, and what it has. */
export const QUOTAS_OF_TENANT = sql<Quotas>`
  (SELECT jsonb_object_agg(q.resource, q.maximum) FROM tenant_quota q WHERE q.tenant_id = tenant.id)`;
export const USAGE_OF_TENANT = sql<Quotas>`
  (SELECT jsonb_object_agg(q.resource, quota_used(q.tenant_id, q.resource)) FROM tenant_quota q WHERE q.tenant_id = tenant.id)`;

/** Sets those that are named. Less than there is takes nothing away, and refuses more. */
export async function updateQuotas(tx: SystemTx, tenantId: string, quotas: Partial<Quotas>): Promise<void> {
  for (const [resource, maximum] of Object.entries(quotas))
    await tx.sql
      .updateTable('tenant_quota')
      .set({ maximum })
      .where('tenant_id', '=', tenantId)
      .where('resource', '=', resource)
      .execute();
}
