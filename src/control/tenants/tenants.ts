import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import type {
  Tenant,
  TenantCreate,
  TenantCreated,
  TenantDeleteQuery,
  TenantPatch,
  TenantStatus,
} from '../../api/access/tenants.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { insertApiKey } from '../../store/keys/api-keys.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';
import { asSystem, notify, type TenantTx, type Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { updateQuotas } from '../../store/tenants/quotas.ts';
import { listAllSpeakers, SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';
import {
  deleteTenant as remove,
  getTenant,
  insertTenant,
  lockTenantForChange,
  unparkJobs,
  updateTenant,
} from '../../store/tenants/tenants.ts';
import { auditStop } from '../audit/audit.ts';
import { KEYS_CHANNEL } from '../access/api-keys.ts';
import type { ControlContext } from '../context.ts';
import { changedPolicy } from '../policy/tenant-policy.ts';
import { announcingNodes } from '../speakers/announcing-nodes.ts';

/** Of the speakers in an error, that many by name. */
const NAMED_NODES = 5;

/**
 * Creates a tenant with a first operator key, whose secret is in this answer and nowhere else. It has no speaker: which AS number
 * and addresses it speaks with, its operator decides.
 */
export function createTenant(
  tx: TenantTx,
  context: ControlContext,
  { quotas = {}, policy, ...body }: TenantCreate,
): Promise<Versioned<TenantCreated>> {
  return asSystem(tx, async (system) => {
    const { id } = await insertTenant(system, { ...body, policy: changedPolicy(policy) });
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
 * announcing, because no decision about an account may cost a router its routes. One that is stopped is suspended, and all its sessions
 * end. Active again, it goes on where it was.
 * @throws {Problem} `conflict` for the default tenant, whose keys manage all others; `validation_failed` for the policy
 */
export async function changeTenant(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  patch: TenantPatch,
  version: number | null,
): Promise<Versioned<Tenant>> {
  const { changed, before } = await change(tx, context, id, patch, version);
  // The record of the change itself weighs no more than that of another name.
  if (before !== 'stopped' && patch.status === 'stopped')
    await auditStop(tx, context.actor, changed.resource);
  return changed;
}

/**
 * Ends all sessions of a tenant, so that its routes are withdrawn. Nothing is deleted: active again, it announces what it announced.
 * @throws {Problem} `conflict` for the default tenant
 */
export async function stopTenant(
  tx: TenantTx,
  context: ControlContext,
  id: string,
): Promise<Versioned<Tenant>> {
  return (await change(tx, context, id, { status: 'stopped' }, null)).changed;
}

async function change(
  tx: TenantTx,
  { queue }: ControlContext,
  id: string,
  { policy, ...patch }: TenantPatch,
  version: number | null,
): Promise<{ readonly changed: Versioned<Tenant>; readonly before: TenantStatus }> {
  const { changed, parked, before } = await asSystem(tx, async (system) => {
    const tenant = await lockTenantForChange(system, id, version);
    refuseStatus(tenant, patch.status);
    const changed = await updateTenant(system, id, {
      ...patch,
      ...(policy === undefined ? {} : { policy: changedPolicy(policy, tenant.policy) }),
    });
    const parked = patch.status === 'active' ? await unparkJobs(system, id) : [];
    return { changed, parked, before: tenant.status };
  });
  await queue.resend(tx, parked);
  if (patch.status !== undefined) await notify(tx, KEYS_CHANNEL, id);
  // The holders of its speakers, and its nodes.
  if (patch.status !== undefined || policy !== undefined) await notify(tx, SPEAKERS_CHANNEL, id);
  return { changed, before };
}

/** @throws {Problem} `conflict` */
function refuseStatus(
  { slug, status }: Pick<Tenant, 'slug' | 'status'>,
  wanted: TenantStatus | undefined,
): void {
  if (wanted === undefined || wanted === 'active') return;
  if (slug === DEFAULT_TENANT)
    throw new Problem('conflict', `The default tenant cannot be ${wanted}: its keys manage all others.`);
  if (status === 'stopped' && wanted === 'suspended')
    throw new Problem(
      'conflict',
      'A suspended tenant announces its routes, and this one is stopped. Make it active first if its routes are to come back.',
    );
}

/**
 * Deletes a suspended or stopped tenant with all that belongs to it; its speakers withdraw what they announce, which those of nodes have to have done
 * before. Its slug has to be given, so that nobody deletes the wrong one by a slip.
 * @throws {Problem} `conflict`, `validation_failed`, `in_use`
 */
export async function deleteTenant(
  tx: TenantTx,
  { secrets }: Pick<ControlContext, 'secrets'>,
  id: string,
  { confirm, abandon_nodes: areAbandoned = false }: TenantDeleteQuery,
  version: number | null,
): Promise<void> {
  await asSystem(tx, async (system) => {
    const tenant = { tenantId: id, sql: system.sql };
    // What is being built comes to its end first, and locks what a build locks in another order.
    await lockTenant(tenant, 'revision');
    // No node is sent anything meanwhile. Locked before the row, in the same order as bundles are issued.
    await lockTenant(tenant, 'bundles');
    const { slug, status } = await lockTenantForChange(system, id, version);
    if (slug === DEFAULT_TENANT)
      throw new Problem('conflict', 'The default tenant cannot be deleted: its keys manage all others.');
    if (status === 'active' || id === tx.tenantId)
      throw new Problem(
        'conflict',
        'Only a suspended or stopped tenant can be deleted, with a key of another one. Suspend or stop it first, and see that nobody misses it.',
      );
    if (confirm !== slug)
      throw fieldProblem(
        '?confirm',
        `is not the slug of this tenant, which is ${slug}. Look at the id again.`,
      );
    if (!areAbandoned) await refuseAnnouncing(tenant, secrets);
    await remove(system, id);
  });
  await notify(tx, KEYS_CHANNEL, id);
  await notify(tx, SPEAKERS_CHANNEL, id);
}

/** @throws {Problem} `in_use` */
async function refuseAnnouncing(tx: TenantTx, secrets: ControlContext['secrets']): Promise<void> {
  const speakers = await listAllSpeakers(tx);
  const nodes = await announcingNodes(
    tx,
    secrets,
    speakers.map(({ id }) => id),
  );
  if (nodes.length === 0) return;
  const named = nodes.slice(0, NAMED_NODES).map(({ name }) => name);
  const others = nodes.length > named.length ? ` and ${nodes.length - named.length} more` : '';
  throw new Problem(
    'in_use',
    `The nodes of ${named.join(', ')}${others} would go on announcing what they announce, for ever. Stop the tenant (POST /v1/tenants/{id}/stop), and delete it when its nodes have said that their sessions have ended, which takes some seconds. For nodes that are gone, or were stopped where they are: DELETE with &abandon_nodes=true.`,
  );
}
