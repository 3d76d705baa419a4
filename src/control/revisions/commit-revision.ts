import { isDeepStrictEqual } from 'node:util';
import type { Finding, Revision, RevisionTrigger } from '../../api/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { saveRevisionInputs } from '../../store/revision-history.ts';
import { findLatestReadyRevision, insertRevision } from '../../store/revisions.ts';
import { getSetting } from '../../store/settings.ts';
import { listSnapshotWarnings } from '../../store/snapshots.ts';
import { listAppliedContents } from '../../store/speakers.ts';
import { auditRevision } from '../audit/audit.ts';
import { staleWarnings } from '../collection/stale-entries.ts';
import { checkStored, readAgainst } from '../guards/guard-revision.ts';
import type { JobQueue } from '../job.ts';
import { hashOfRails } from '../guards/rails.ts';
import {
  type BuiltDraft,
  buildDraft,
  draftRevision,
  readRevisionInputs,
  snapshotsOf,
} from './revision-draft.ts';
import { storeContent } from './store-content.ts';

export interface CommittedRevision {
  readonly revision_id: string;
  readonly number: number;
  readonly revision_state: Revision['state'];
  /** Codes of the rails that it breaks. */
  readonly findings: readonly string[];
  readonly content_changed: boolean;
  readonly apply_job_id: string | null;
  readonly [key: string]: unknown;
}

/**
 * Makes what was built the tenant's latest revision, and queues its apply when some speaker runs other content. When what it was
 * built from has changed since, it is built anew first. The caller holds the tenant's revision lock, so that numbers follow
 * the order of contents.
 */
export async function commitRevision(
  tx: TenantTx,
  queue: JobQueue,
  prepared: BuiltDraft,
  trigger: RevisionTrigger,
  parentJobId: string | null,
): Promise<CommittedRevision> {
  const built = await upToDate(tx, prepared);
  const { content, communities } = built;
  const parent = await findLatestReadyRevision(tx);
  const contentHash = await storeContent(tx, content, built.parent);
  const { findings, rails_hash } = await check(tx, built, contentHash);
  const revision = await insertRevision(tx, {
    ...{ state: findings.length === 0 ? 'ready' : 'held', findings, rails_hash },
    content_hash: contentHash,
    parent_id: parent?.id ?? null,
    rollback_of: null,
    trigger,
    prefix_count: content.prefixCount,
    communities: [...communities],
    warnings: [...(await listSnapshotWarnings(tx)), ...(await staleWarnings(tx))],
  });
  await saveRevisionInputs(tx, revision.id, snapshotsOf(built.inputs));
  const applied = await listAppliedContents(tx);
  const stale = applied.some((speaker) => speaker.content_hash !== content.contentHash);
  const job =
    findings.length === 0 && stale && (await getSetting(tx, 'auto_apply'))
      ? await queue.enqueue(tx, {
          type: 'apply',
          input: { revision_id: revision.id, speaker_ids: null },
          resource: { type: 'revision', id: revision.id },
          requestedBy: trigger.actor ?? 'auto:scheduler',
          parentId: parentJobId,
        })
      : null;
  const contentChanged = parent?.content_hash !== content.contentHash;
  if (contentChanged || job !== null) await auditRevision(tx, revision, job);
  return {
    revision_id: revision.id,
    number: revision.number,
    revision_state: revision.state,
    findings: [...new Set(findings.map(({ code }) => code))],
    content_changed: contentChanged,
    apply_job_id: job?.id ?? null,
  };
}

/** Another refresh may have been committed, or an operator may have changed a module, while this one was built. */
async function upToDate(tx: TenantTx, prepared: BuiltDraft): Promise<BuiltDraft> {
  const inputs = await readRevisionInputs(tx);
  if (isDeepStrictEqual(inputs, prepared.inputs)) return prepared;
  return buildDraft(await draftRevision(tx, null));
}

/** The rails that the revision breaks now: found beside the event loop, unless a rail or the baseline has changed meanwhile. */
async function check(
  tx: TenantTx,
  { findings, against, inputs }: BuiltDraft,
  contentHash: string,
): Promise<{ readonly findings: Finding[]; readonly rails_hash: string }> {
  const now = await readAgainst(tx);
  const rails_hash = hashOfRails(now.rails);
  if (isDeepStrictEqual(now, against)) return { findings: [...findings], rails_hash };
  return { findings: await checkStored(tx, contentHash, snapshotsOf(inputs), now), rails_hash };
}
