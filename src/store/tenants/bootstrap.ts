import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction } from '../../api/activity/audit.ts';
import { OPEN_POLICY } from '../../api/access/tenant-policy.ts';
import type { Tenant } from '../../api/access/tenants.ts';
import { describeApiKey, roleOfApiKey } from '../keys/api-key-secret.ts';
import { recordAudit } from '../audit/audit.ts';
import type { SystemTx } from '../database/database.ts';
import { findTenantBySlug, insertTenant } from './tenants.ts';

/** The slug of the tenant that every service has. */
export const DEFAULT_TENANT = 'default';
/** For private use, RFC 6996: valid until an operator sets the real one. */
const DEFAULT_ASN = 64_512;

export interface Bootstrap {
  readonly tenant: Tenant;
  /** True when this call stored `secret`: it must be printed, since nobody has seen it. */
  readonly keyCreated: boolean;
}

/**
 * Ensures that the tenant `default`, its speaker `builtin`, and a key for the first operator exist. Many processes may call it at once, and
 * each start calls it again. Speaker and generated key are created only with the tenant, so that deleting them is permanent; a key given by
 * the operator is created whenever it is missing.
 * @param secret text of the key
 * @param isGiven whether the operator chose it, instead of this start
 */
export async function bootstrap(tx: SystemTx, secret: string, isGiven: boolean): Promise<Bootstrap> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('prefixcast bootstrap', 0))`.execute(tx.sql);
  const existing = await findTenantBySlug(tx, DEFAULT_TENANT);
  if (existing !== null) {
    return { tenant: existing, keyCreated: isGiven && (await insertKey(tx, existing.id, secret)) };
  }
  const tenant = await insertTenant(tx, {
    name: 'Default',
    slug: DEFAULT_TENANT,
    policy: OPEN_POLICY,
  });
  const { id, name, slug } = tenant;
  await record(tx, id, 'tenant.create', id, name, { name, slug });
  const speaker = { id: uuidv7(), name: 'builtin', daemon: 'builtin', local_asn: DEFAULT_ASN } as const;
  await tx.sql
    .insertInto('speaker')
    .values({ tenant_id: id, ...speaker })
    .execute();
  await record(tx, id, 'speaker.create', speaker.id, speaker.name, speaker);
  return { tenant, keyCreated: await insertKey(tx, tenant.id, secret) };
}

async function insertKey(tx: SystemTx, tenantId: string, secret: string): Promise<boolean> {
  const { prefix, secret_hash } = describeApiKey(secret);
  const role = roleOfApiKey(secret) ?? 'super_admin';
  const key = { id: uuidv7(), name: 'bootstrap', role, prefix };
  const { numInsertedOrUpdatedRows } = await tx.sql
    .insertInto('api_key')
    .values({ tenant_id: tenantId, ...key, secret_hash, created_by: 'cli' })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  await record(tx, tenantId, 'api_key.create', key.id, key.name, key);
  return true;
}

/** No request creates what the first start does, but the audit log records it. */
async function record(
  { sql: statements }: SystemTx,
  tenantId: string,
  action: AuditAction,
  id: string,
  name: string,
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  const made = { actor: 'cli', action, resource: { id, name }, changes: { after } };
  await recordAudit({ tenantId, sql: statements }, made);
}
