import type { ApiKeyCreate, ApiKeyCreated, ApiKeyPatch, ApiKey } from '../api/api-keys.ts';
import { mayGrant } from '../api/permissions.ts';
import { Problem, fieldProblem } from '../api/problem.ts';
import { mintApiKey } from '../store/api-key-secret.ts';
import { insertApiKey, updateApiKey } from '../store/api-keys.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import type { ControlContext } from './context.ts';

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
  checkExpiry(body.expires_at);
  const { secret, ...minted } = mintApiKey(body.role);
  const created = await insertApiKey(tx, { ...body, ...minted, created_by: context.actor });
  return { ...created, resource: { ...created.resource, secret } };
}

export async function changeApiKey(
  tx: TenantTx,
  id: string,
  patch: ApiKeyPatch,
  version: number | null,
): Promise<Versioned<ApiKey>> {
  checkExpiry(patch.expires_at);
  return updateApiKey(tx, id, patch, version);
}

function checkExpiry(expiresAt: string | null | undefined): void {
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.now()) {
    throw fieldProblem(
      '/expires_at',
      `${expiresAt} is over. Give a time to come, or null for a key that does not expire.`,
    );
  }
}
