import { Problem } from '../../api/problem.ts';
import type { RolledBack } from '../../api/revisions.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { acceptSnapshots } from '../../store/held-modules.ts';
import { listRevisionInputs, saveRevisionInputs } from '../../store/revision-history.ts';
import { findLatestReadyRevision, getRevision, insertRevision } from '../../store/revisions.ts';
import { getSetting } from '../../store/settings.ts';
import { type Requester, enqueueApply } from '../rollout/apply-revision.ts';
import { withContent } from './diff-revisions.ts';
import { routeFindings } from '../guards/guard-apply.ts';
import { hashOfRails, readRails } from '../guards/rails.ts';

/**
 * Makes a new revision, the latest from now on, of the content of an old one; held where that breaks a rail of today. The content is not
 * copied, and read only when the rails have changed since, so it takes as long for a million prefixes as for one.
 * @throws {Problem} `not_found`, `revision_not_ready`
 */
export async function rollbackRevision(
  tx: TenantTx,
  requester: Requester,
  id: string,
): Promise<Versioned<RolledBack>> {
  await lockTenant(tx, 'revision');
  const target = withContent((await getRevision(tx, id)).resource);
  if (target.state !== 'ready') {
    throw new Problem(
      'revision_not_ready',
      `Revision ${target.number} is ${target.state}; only to a ready one can be rolled back. List /v1/revisions?state=ready.`,
    );
  }
  const parent = await findLatestReadyRevision(tx);
  const rails = await readRails(tx);
  const findings = await routeFindings(tx, target, rails);
  const made = await insertRevision(tx, {
    ...{ state: findings.length === 0 ? 'ready' : 'held', findings, rails_hash: hashOfRails(rails) },
    content_hash: target.content_hash,
    parent_id: parent?.id ?? null,
    rollback_of: target.id,
    trigger: { kind: 'rollback', module_id: null, job_id: null, actor: requester.actor },
    prefix_count: target.prefix_count,
    communities: target.communities,
    warnings: target.warnings,
  });
  const inputs = await listRevisionInputs(tx, target.id);
  await saveRevisionInputs(tx, made.id, inputs);
  // What a source says beside it is a change from here on.
  if (made.state === 'ready') await acceptSnapshots(tx, inputs);
  // Also when every speaker runs this content: what is being undone may have an apply that is still on its way.
  const isApplied = made.state === 'ready' && (await getSetting(tx, 'auto_apply'));
  const job = isApplied ? await enqueueApply(tx, requester, made, null) : null;
  const { resource, version } = await getRevision(tx, made.id);
  return { resource: { ...resource, apply_job_id: job?.id ?? null }, version };
}
