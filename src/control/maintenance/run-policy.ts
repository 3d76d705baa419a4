import type {
  MaintenanceEffect,
  MaintenanceKind,
  MaintenancePolicy,
} from '../../api/operation/maintenance.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { getMaintenancePolicy } from '../../store/maintenance/policies.ts';
import type { Removal } from '../../store/removal.ts';
import { SCHEDULER } from '../actor.ts';
import type { JobCommit, JobContext } from '../job.ts';
import { NAMED, POLICY_KINDS, type PolicyTools } from './policy-kinds.ts';

/** What a run of the policy would remove now; it removes nothing. */
export async function estimatePolicy(
  tx: TenantTx,
  { kind, parameters }: MaintenancePolicy,
  tools: PolicyTools,
): Promise<MaintenanceEffect> {
  return effectOf(kind, true, await POLICY_KINDS[kind].estimate(tx, parameters as never, tools));
}

/** The job `maintenance_policy_run`: what the policy says when it begins. Its result is what a dry run would have shown at that moment. */
export async function runMaintenancePolicy(
  context: JobContext,
  tools: PolicyTools,
): Promise<JobCommit<MaintenanceEffect>> {
  const { db, tenantId, job, signal, progress } = context;
  const policyId = job.resource!.id;
  const { resource } = await db.inTenant(tenantId, (tx) => getMaintenancePolicy(tx, policyId));
  const { kind, parameters } = resource;
  const cleaner = { actor: job.requested_by ?? SCHEDULER, policyId };
  const run = { ...tools, db, tenantId, job, signal, progress, cleaner };
  const finish = await POLICY_KINDS[kind].run(run, parameters as never);
  return async (tx) => {
    const removal = await finish(tx);
    progress('remove', removal.count, removal.count);
    return effectOf(kind, false, removal);
  };
}

function effectOf(
  kind: MaintenanceKind,
  dry_run: boolean,
  { count, bytes, names }: Removal,
): MaintenanceEffect {
  return { kind, dry_run, count, bytes, names: names.slice(0, NAMED) };
}
