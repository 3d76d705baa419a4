/** Records changes that no request makes itself; http/dispatch/auditing.ts records all others. */
import type { Job, JobError } from '../../api/activity/jobs.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { Tenant } from '../../api/access/tenants.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { HeldChange } from '../../store/revisions/held-modules.ts';
import { SCHEDULER } from '../actor.ts';
import type { Override } from '../override.ts';
import type { StoredRevision } from '../../store/revisions/stored-revisions.ts';

/**
 * A refresh ended in this revision, whose content is another than that of the latest ready one or of a speaker; a held one is a
 * warning.
 * @param apply the job that was queued to apply it
 */
export async function auditRevision(
  tx: TenantTx,
  revision: StoredRevision,
  apply: Job | null,
): Promise<void> {
  const { id, number, state, findings, parent_id, prefix_count, trigger } = revision;
  await recordAudit(tx, {
    actor: trigger.actor ?? SCHEDULER,
    action: 'revision.create',
    ...(state === 'held' ? { severity: 'warning' } : {}),
    resource: { id, name: String(number) },
    changes: {
      after: {
        ...{ number, state, parent_id, prefix_count },
        ...{ module_id: trigger.module_id, job_id: trigger.job_id, apply_job_id: apply?.id ?? null },
        findings: findings.map(({ code }) => code),
      },
    },
  });
}

/** Modules that a revision has found to be held, for another content than before, and those that are held no more. */
export async function auditHeldModules(
  tx: TenantTx,
  { number, trigger }: StoredRevision,
  { held, freed, names }: HeldChange,
): Promise<void> {
  const actor = trigger.actor ?? SCHEDULER;
  for (const { module_id: id, snapshot, findings } of held) {
    const resource = { id, name: names.get(id) ?? null };
    const after = { snapshot, findings, revision: number };
    await recordAudit(tx, { actor, action: 'module.hold', resource, changes: { after } });
  }
  for (const id of freed) {
    const resource = { id, name: names.get(id) ?? null };
    await recordAudit(tx, {
      actor,
      action: 'module.accept',
      resource,
      changes: { after: { revision: number } },
    });
  }
}

/** Somebody lets a revision through that breaks guardrails; what was found is kept, since the revision may be pruned. */
export async function auditOverride(
  tx: TenantTx,
  actor: string,
  { id, number, content_hash }: StoredRevision,
  { override, reason, findings }: Override & { readonly findings: readonly Finding[] },
): Promise<void> {
  await recordAudit(tx, {
    actor,
    action: 'revision.override',
    resource: { id, name: String(number) },
    changes: { after: { override, reason, content_hash, findings } },
  });
}

/** Somebody ended all sessions of a tenant by a change of its status. */
export async function auditStop(
  tx: TenantTx,
  actor: string,
  { id, name, slug }: Pick<Tenant, 'id' | 'name' | 'slug'>,
): Promise<void> {
  await recordAudit(tx, {
    actor,
    action: 'tenant.stop',
    resource: { id, name },
    changes: { after: { slug, status: 'stopped' } },
  });
}

/** The service gave a webhook up, whose receiver takes nothing. */
export async function auditGivenUpWebhook(
  tx: TenantTx,
  webhook: { readonly id: string; readonly name: string },
  reason: string,
): Promise<void> {
  await recordAudit(tx, {
    actor: SCHEDULER,
    action: 'webhook.fail',
    resource: webhook,
    changes: { before: { enabled: true }, after: { enabled: false, last_error: reason } },
  });
}

/** A job failed permanently. */
export async function auditJobFailure(tx: TenantTx, job: Job, error: JobError): Promise<void> {
  const { id, type, resource, attempt } = job;
  await recordAudit(tx, {
    actor: job.requested_by ?? SCHEDULER,
    action: 'job.fail',
    resource: { id, name: type },
    changes: { after: { type, resource, attempt, error } },
  });
}
