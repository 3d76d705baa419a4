import { sql } from 'kysely';
import type { CatalogAs, CatalogDomain, CatalogModule, CatalogRange } from '../api/catalog.ts';
import type { TenantTx } from './database/database.ts';

export async function listCatalogModules(tx: TenantTx): Promise<CatalogModule[]> {
  const rows = await tx.sql
    .selectFrom('module')
    .select(['id', 'name', 'type', 'purpose', 'enabled', 'community_id', 'families', 'last_refreshed_at'])
    .select(['prefix_count_ipv4 as ipv4', 'prefix_count_ipv6 as ipv6'])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('id')
    .execute();
  return rows.map(({ ipv4, ipv6, ...module }) => ({ ...module, prefix_count: { ipv4, ipv6 } }));
}

export function listCatalogRanges(tx: TenantTx): Promise<CatalogRange[]> {
  return tx.sql
    .selectFrom('ip_range_entry')
    .select(['id', 'module_id', 'enabled', 'community_id', sql<string>`cidr::text`.as('cidr')])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('id')
    .execute();
}

export function listCatalogDomains(tx: TenantTx): Promise<CatalogDomain[]> {
  return tx.sql
    .selectFrom('domain_entry')
    .select(['id', 'module_id', 'enabled', 'community_id', 'domain'])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('id')
    .execute();
}

export function listCatalogAses(tx: TenantTx): Promise<CatalogAs[]> {
  return tx.sql
    .selectFrom('as_entry')
    .select(['id', 'module_id', 'enabled', 'community_id', 'asn'])
    .where('tenant_id', '=', tx.tenantId)
    .orderBy('id')
    .execute();
}
