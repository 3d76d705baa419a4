import type {
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyPatch,
  ApiKeyRotate,
} from '../../api/access/api-keys.ts';
import { mayGrant } from '../../api/access/permissions.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import {
  getApiKey,
  hasOtherLastingKey,
  insertApiKey,
  replaceSecret,
  revokeApiKey as revoke,
  updateApiKey,
} from '../../store/keys/api-keys.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import { notify, type TenantTx, type Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { lockForChange } from '../../store/versions.ts';
import type { ControlContext } from '../context.ts';

/** Channel on which changes of keys, or of a tenant's status, are announced to the processes that cache keys. */
export const KEYS_CHANNEL = 'prefixcast_keys';

/** Creates a key no stronger than its maker's; the secret is in this answer and nowhere else. */
export async function createApiKey(
  tx: TenantTx,
  context: ControlContext,
  body: ApiKeyCreate,
): Promise<Versioned<ApiKeyCreated>> {
  if (!mayGrant(context.role, body.role)) {
    const detail = `A key of role ${context.role} cannot create one of role ${body.role}. Ask somebody who holds that role.`;
    throw new Problem('role_escalation', detail, { errors: [{ pointer: '/role', detail }] });
  }
  await checkExpiry(tx, body.expires_at);
  const { secret, ...minted } = mintApiKey(body.role);
  const created = await insertApiKey(tx, { ...body, ...minted, created_by: context.actor });
  return { ...created, resource: { ...created.resource, secret } };
}

export async function changeApiKey(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  patch: ApiKeyPatch,
  version: number | null,
): Promise<Versioned<ApiKey>> {
  const key = await keyWithinReach(tx, context, id, version);
  await checkExpiry(tx, patch.expires_at);
  if (typeof patch.expires_at === 'string') await keepSuperAdmin(tx, key);
  const changed = await updateApiKey(tx, id, patch, version);
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
  return changed;
}

/**
 * Gives the key another secret, which is in this answer and nowhere else. Name, role and expiry stay.
 * @throws {Problem} `conflict` for a key that no longer works, which no new secret would change
 */
export async function rotateApiKey(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  { grace_seconds: graceSeconds = 0 }: ApiKeyRotate,
): Promise<Versioned<ApiKeyCreated>> {
  const key = await keyWithinReach(tx, context, id, null);
  if (key.revoked_at !== null)
    throw new Problem('conflict', `The key was revoked at ${key.revoked_at}. Create another one instead.`);
  if (await isOver(tx, key.expires_at))
    throw new Problem('conflict', `The key expired at ${key.expires_at}. Change expires_at first.`);
  const { secret, ...minted } = mintApiKey(key.role);
  const rotated = await replaceSecret(tx, id, { ...minted, graceSeconds });
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
  return { ...rotated, resource: { ...rotated.resource, secret } };
}

/** The key stops working on every process within a second, and stays listed. */
export async function revokeApiKey(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  version: number | null,
): Promise<Versioned<ApiKey>> {
  const key = await keyWithinReach(tx, context, id, version);
  if (key.revoked_at === null) await keepSuperAdmin(tx, key);
  const revoked = await revoke(tx, id, version);
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
  return revoked;
}

/**
 * Locks the key.
 * @throws {Problem} `role_escalation` when it is stronger than the caller's: the caller would receive its secret
 */
async function keyWithinReach(
  tx: TenantTx,
  { role }: ControlContext,
  id: string,
  version: number | null,
): Promise<ApiKey> {
  await lockForChange(tx, 'api_key', id, version);
  const { resource: key } = await getApiKey(tx, id);
  if (!mayGrant(role, key.role))
    throw new Problem(
      'role_escalation',
      `A key of role ${role} cannot change one of role ${key.role}. Ask somebody who holds that role.`,
    );
  return key;
}

/** A tenant that can manage tenants must keep such a key: nobody else could create one for it. */
async function keepSuperAdmin(tx: TenantTx, { id, role, expires_at }: ApiKey): Promise<void> {
  if (role !== 'super_admin' || expires_at !== null) return;
  // Else two such keys could take each other back at the same time.
  await lockTenant(tx, 'keys');
  if (await hasOtherLastingKey(tx, role, id)) return;
  throw new Problem(
    'last_super_admin',
    'No other super_admin key of the tenant works without an end. Create another one first.',
  );
}

async function checkExpiry(tx: TenantTx, expiresAt: string | null | undefined): Promise<void> {
  if (await isOver(tx, expiresAt)) {
    throw fieldProblem(
      '/expires_at',
      `${expiresAt} is over. Give a time to come, or null for a key that does not expire.`,
    );
  }
}

/** By the clock that keys are refused by. */
async function isOver(tx: TenantTx, expiresAt: string | null | undefined): Promise<boolean> {
  return typeof expiresAt === 'string' && Date.parse(expiresAt) <= (await databaseTime(tx)).getTime();
}
