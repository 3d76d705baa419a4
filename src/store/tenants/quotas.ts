import { sql } from 'kysely';
import type { Quotas } from '../../api/access/tenants.ts';
import type { SystemTx } from '../database/database.ts';

/** A tenant's quotas: for every resource, how much it may have, and how much it has. */
export const QUOTAS_OF_TENANT = sql<Quotas>`
  (SELECT jsonb_object_agg(q.resource, q.maximum) FROM tenant_quota q WHERE q.tenant_id = tenant.id)`;
export const USAGE_OF_TENANT = sql<Quotas>`
  (SELECT jsonb_object_agg(q.resource, quota_used(q.tenant_id, q.resource)) FROM tenant_quota q WHERE q.tenant_id = tenant.id)`;

/** Sets the given ones. A quota below the present number removes nothing, but refuses more. */
export async function updateQuotas(tx: SystemTx, tenantId: string, quotas: Partial<Quotas>): Promise<void> {
  for (const [resource, maximum] of Object.entries(quotas))
    await tx.sql
      .updateTable('tenant_quota')
      .set({ maximum })
      .where('tenant_id', '=', tenantId)
      .where('resource', '=', resource)
      .execute();
}
