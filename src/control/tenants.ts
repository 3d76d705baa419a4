import { Problem, fieldProblem } from '../api/problem.ts';
import type { Tenant, TenantCreate, TenantCreated, TenantPatch } from '../api/tenants.ts';
import { mintApiKey } from '../store/api-key-secret.ts';
import { insertApiKey } from '../store/api-keys.ts';
import { DEFAULT_TENANT } from '../store/bootstrap.ts';
import { asSystem, notify, type TenantTx, type Versioned } from '../store/database/database.ts';
import { updateQuotas } from '../store/quotas.ts';
import {
  deleteTenant as remove,
  getTenant,
  insertTenant,
  lockTenantForChange,
  unparkJobs,
  updateTenant,
} from '../store/tenants.ts';
import { KEYS_CHANNEL } from './api-keys.ts';
import { SPEAKERS_CHANNEL } from './rollout/apply-revision.ts';
import type { ControlContext } from './context.ts';

/**
 * Creates a tenant with a first operator key, whose secret is in this answer and nowhere else. It has no speaker: which AS number
 * and addresses it speaks with, its operator decides.
 */
export function createTenant(
  tx: TenantTx,
  context: ControlContext,
  { quotas = {}, ...body }: TenantCreate,
): Promise<Versioned<TenantCreated>> {
  return asSystem(tx, async (system) => {
    const { id } = await insertTenant(system, body);
    await updateQuotas(system, id, quotas);
    const { secret, ...minted } = mintApiKey('operator');
    const key = await insertApiKey(
      { tenantId: id, sql: system.sql },
      { name: 'operator', role: 'operator', ...minted, created_by: context.actor },
    );
    const { resource, version } = await getTenant(system, id);
    return { resource: { ...resource, api_key: { id: key.resource.id, secret } }, version };
  });
}

/**
 * Changes a tenant. One that is suspended is refused by every process within a second, and its jobs wait; its speakers go on
 * announcing, because no decision about an account may cost a router its routes. Active again, it goes on where it was.
 * @throws {Problem} `conflict` for the default tenant, whose keys manage all others
 */
export async function changeTenant(
  tx: TenantTx,
  { queue }: ControlContext,
  id: string,
  patch: TenantPatch,
  version: number | null,
): Promise<Versioned<Tenant>> {
  const { changed, parked } = await asSystem(tx, async (system) => {
    const { slug } = await lockTenantForChange(system, id, version);
    if (patch.status === 'suspended' && slug === DEFAULT_TENANT)
      throw new Problem('conflict', 'The default tenant cannot be suspended: its keys manage all others.');
    const changed = await updateTenant(system, id, patch);
    return { changed, parked: patch.status === 'active' ? await unparkJobs(system, id) : [] };
  });
  await queue.resend(tx, parked);
  if (patch.status !== undefined) await notify(tx, KEYS_CHANNEL, id);
  return changed;
}

/**
 * Deletes a suspended tenant with all that belongs to it; its speakers withdraw what they announce.
 * @param confirm its slug, so that nobody deletes the wrong one by a slip
 * @throws {Problem} `conflict`, `validation_failed`
 */
export async function deleteTenant(
  tx: TenantTx,
  id: string,
  confirm: string,
  version: number | null,
): Promise<void> {
  await asSystem(tx, async (system) => {
    const { slug, status } = await lockTenantForChange(system, id, version);
    if (slug === DEFAULT_TENANT)
      throw new Problem('conflict', 'The default tenant cannot be deleted: its keys manage all others.');
    if (status !== 'suspended' || id === tx.tenantId)
      throw new Problem(
        'conflict',
        'Only a suspended tenant can be deleted, with a key of another one. Suspend it first, and see that nobody misses it.',
      );
    if (confirm !== slug)
      throw fieldProblem(
        '?confirm',
        `is not the slug of this tenant, which is ${slug}. Look at the id again.`,
      );
    await remove(system, id);
  });
  await notify(tx, KEYS_CHANNEL, id);
  await notify(tx, SPEAKERS_CHANNEL, id);
}
