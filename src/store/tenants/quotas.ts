import { sql } from 'kysely';
import type { Quotas } from '../../api/access/tenants.ts';
import type { SystemTx } from '../database/database.ts';

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
