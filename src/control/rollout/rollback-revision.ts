import { Problem } from '../../api/problems/problem.ts';
import type { RollbackRequest, RolledBack } from '../../api/revisions/revisions.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { heldTogether } from '../../store/revisions/held-modules.ts';
import { listRevisionInputs, saveRevisionInputs } from '../../store/revisions/revision-history.ts';
import { getRevision, insertRevision } from '../../store/revisions/revisions.ts';
import { findLatestReadyRevision, requireRevision } from '../../store/revisions/stored-revisions.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import type { Requester } from './apply-revision.ts';
import { enqueueApply } from '../revisions/apply-input.ts';
import { findTakenBack, takeBack } from './take-back.ts';
import { withContent } from '../differences/diff-revisions.ts';
import { routeFindings } from '../revisions/guard-apply.ts';
import { hashOfRouteGuardrails, readGuardrails } from '../guards/guardrails.ts';

/**
 * Makes a new revision, the latest from now on, of the content of an old one; held where that breaks a guardrail of today. Modules are held for
 * what it takes back, unless `guard_scope` is `revision`, where no module is held by itself. The content is not copied, and read only when the guardrails have changed since, so it takes as long for a million prefixes as for one.
 * @throws {Problem} `not_found`, `revision_not_ready`
 */
export async function rollbackRevision(
  tx: TenantTx,
  requester: Requester,
  id: string,
  { reason }: RollbackRequest = {},
): Promise<Versioned<RolledBack>> {
  await lockTenant(tx, 'revision');
  const target = withContent(await requireRevision(tx, id));
  if (target.state !== 'ready') {
    throw new Problem(
      'revision_not_ready',
      `Revision ${target.number} is ${target.state}; only to a ready one can be rolled back. List /v1/revisions?state=ready.`,
    );
  }
  const parent = await findLatestReadyRevision(tx);
  const guardrails = await readGuardrails(tx);
  const findings = await routeFindings(tx, target, guardrails);
  const inputs = await listRevisionInputs(tx, target.id);
  const takenBack = await findTakenBack(tx, parent, inputs, guardrails);
  const made = await insertRevision(tx, {
    ...{
      state: findings.length === 0 ? 'ready' : 'held',
      findings,
      quarantined:
        findings.length === 0 ? heldTogether(takenBack.held, [...takenBack.kept, ...takenBack.staying]) : [],
      rails_hash: hashOfRouteGuardrails(guardrails),
    },
    content_hash: target.content_hash,
    parent_id: parent?.id ?? null,
    rollback_of: target.id,
    trigger: { kind: 'rollback', module_id: null, job_id: null, actor: requester.actor },
    reason: reason ?? null,
    prefix_count: target.prefix_count,
    communities: target.communities,
    without_community: target.without_community,
    warnings: target.warnings,
  });
  await saveRevisionInputs(tx, made.id, inputs);
  if (made.state === 'ready') await takeBack(tx, made, inputs, takenBack);
  // Also when every speaker runs this content: what is being undone may have an apply that is still on its way.
  const isApplied = made.state === 'ready' && (await getSetting(tx, 'auto_apply'));
  const job = isApplied
    ? await enqueueApply(tx, requester, { revision_id: made.id, speaker_ids: null })
    : null;
  const { resource, version } = await getRevision(tx, made.id);
  return { resource: { ...resource, apply_job_id: job?.id ?? null }, version };
}
