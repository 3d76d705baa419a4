import { Problem } from '../api/problem.ts';
import type { RolledBack } from '../api/revisions.ts';
import type { TenantTx, Versioned } from '../store/database.ts';
import { lockTenant } from '../store/locks.ts';
import { findLatestReadyRevision, getRevision, insertRevision } from '../store/revisions.ts';
import { getSetting } from '../store/settings.ts';
import { requestApply } from './apply-revision.ts';
import { withContent } from './diff-revisions.ts';
import type { JobQueue } from './job.ts';

/**
 * Makes a new revision, the latest from now on, of the content of an old one. The content is not read, let alone copied, so it
 * takes as long for a million prefixes as for one.
 * @throws {Problem} `not_found`, `revision_not_ready`
 */
export async function rollbackRevision(
  tx: TenantTx,
  queue: JobQueue,
  id: string,
  actor: string,
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
  const { id: madeId } = await insertRevision(tx, {
    state: 'ready',
    content_hash: target.content_hash,
    parent_id: parent?.id ?? null,
    rollback_of: target.id,
    trigger: { kind: 'rollback', module_id: null, job_id: null, actor },
    prefix_count: target.prefix_count,
    communities: target.communities,
    warnings: target.warnings,
  });
  // Also when every speaker runs this content: what is being undone may have an apply that is still on its way.
  const job = (await getSetting(tx, 'auto_apply'))
    ? await requestApply(tx, queue, { revision_id: madeId }, actor)
    : null;
  const { resource: made, version } = await getRevision(tx, madeId);
  return { resource: { ...made, apply_job_id: job?.id ?? null }, version };
}
