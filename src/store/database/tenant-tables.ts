/** Rows of tenants, and of what is counted and claimed across them. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { TenantPolicy } from '../../api/tenant-policy.ts';
import type { TenantStatus } from '../../api/tenants.ts';
import type { Stamps } from './tables.ts';

export interface TenantTable extends Stamps {
  id: string;
  name: string;
  slug: string;
  status: Generated<TenantStatus>;
  policy: JSONColumnType<TenantPolicy, string, string>;
  last_revision_number: Generated<number>;
}

export interface TenantQuotaTable {
  tenant_id: string;
  resource: string;
  maximum: number;
  used: Generated<number>;
}

/** migrations/0018_tenant_policy.sql says what a row means. */
export interface PeerEndpointTable {
  tenant_id: string;
  address: string;
  port: number;
  claimed_at: ColumnType<string, undefined, never>;
}
