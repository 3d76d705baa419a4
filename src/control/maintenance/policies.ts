/** Maintenance policies as operators edit them. */
import {
  MAINTENANCE_KINDS,
  type MaintenanceKind,
  type MaintenancePolicy,
  type MaintenancePolicyCreate,
  type MaintenancePolicyPatch,
} from '../../api/operation/maintenance.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import type { Job } from '../../api/activity/jobs.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import {
  countMaintenancePolicies,
  getMaintenancePolicy,
  insertMaintenancePolicy,
  lockMaintenancePolicy,
  readDatabaseTime,
  updateMaintenancePolicy,
} from '../../store/maintenance/policies.ts';
import type { JobQueue } from '../job.ts';
import { type Asker, requireHomeTenant } from '../access/home-tenant.ts';
import { nextRun, scheduleFault } from './cron.ts';
import { requireTables } from './postgres.ts';
import { completeParameters } from './policy-parameters.ts';

/** As many as a tenant may have. */
const MAXIMUM_POLICIES = 100;

/** @throws {Problem} `validation_failed`, `conflict`, `quota_exceeded`, `home_tenant_only` */
export async function createMaintenancePolicy(
  tx: TenantTx,
  asker: Asker,
  body: MaintenancePolicyCreate,
): Promise<Versioned<MaintenancePolicy>> {
  requireKind(asker, body.kind);
  const { name, kind, schedule = null, enabled = true } = body;
  checkSchedule(schedule);
  const parameters = completeParameters(kind, body.parameters ?? {});
  await requireTables(tx, parameters.tables ?? [], '/parameters/tables/*');
  // Two at once must not go over the number together.
  await lockTenant(tx, 'policies');
  const count = await countMaintenancePolicies(tx);
  if (count >= MAXIMUM_POLICIES)
    throw new Problem(
      'quota_exceeded',
      `The tenant has ${count} maintenance policies, which is the most that it may have. Delete some.`,
    );
  const next_run_at = await nextRunOf(tx, schedule, enabled);
  return insertMaintenancePolicy(tx, { name, kind, parameters, schedule, enabled, next_run_at });
}

/**
 * Parameters that are not named stay.
 * @param version what the caller read last; null: any
 * @throws {Problem} as creation, and `not_found`, `precondition_failed`
 */
export async function changeMaintenancePolicy(
  tx: TenantTx,
  asker: Asker,
  id: string,
  patch: MaintenancePolicyPatch,
  version: number | null,
): Promise<Versioned<MaintenancePolicy>> {
  await lockMaintenancePolicy(tx, id, version);
  const { resource: before } = await getMaintenancePolicy(tx, id);
  requireKind(asker, before.kind);
  const { name, schedule, enabled } = { ...before, ...patch };
  checkSchedule(schedule);
  const parameters = completeParameters(before.kind, { ...before.parameters, ...patch.parameters });
  await requireTables(tx, patch.parameters?.tables ?? [], '/parameters/tables/*');
  // What is due and stays as it was is still due.
  const isSame = schedule === before.schedule && enabled === before.enabled;
  const next_run_at =
    isSame && before.next_run_at !== null
      ? new Date(before.next_run_at)
      : await nextRunOf(tx, schedule, enabled);
  return updateMaintenancePolicy(tx, id, { name, schedule, enabled, parameters, next_run_at });
}

/** Queues a run; one that waits already is as good. @throws {Problem} `not_found`, `home_tenant_only` */
export async function requestPolicyRun(
  tx: TenantTx,
  queue: JobQueue,
  asker: Asker,
  actor: string,
  id: string,
): Promise<Job> {
  // Two at once become one.
  await lockMaintenancePolicy(tx, id, null);
  const { resource } = await getMaintenancePolicy(tx, id);
  requireKind(asker, resource.kind);
  const waiting = await findOpenJob(tx, { type: 'maintenance_policy_run', resourceId: id, isQueued: true });
  return waiting ?? queuePolicyRun(tx, queue, id, actor);
}

export function queuePolicyRun(tx: TenantTx, queue: JobQueue, id: string, actor: string): Promise<Job> {
  return queue.enqueue(tx, {
    type: 'maintenance_policy_run',
    input: {},
    resource: { type: 'maintenance_policy', id },
    requestedBy: actor,
    parentId: null,
  });
}

/** @throws {Problem} `home_tenant_only` */
export function requireKind(asker: Asker, kind: MaintenanceKind): void {
  if (MAINTENANCE_KINDS[kind].ofHome) requireHomeTenant(asker, `have policies of the kind ${kind}`);
}

function checkSchedule(schedule: string | null): void {
  const fault = schedule === null ? null : scheduleFault(schedule);
  if (fault !== null) throw fieldProblem('/schedule', fault);
}

async function nextRunOf(tx: TenantTx, schedule: string | null, enabled: boolean): Promise<Date | null> {
  return schedule === null || !enabled ? null : nextRun(schedule, await readDatabaseTime(tx));
}
