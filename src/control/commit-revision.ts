import { isDeepStrictEqual } from 'node:util';
import type { RevisionTrigger } from '../api/revisions.ts';
import { storeTable } from '../store/contents.ts';
import type { TenantTx } from '../store/database.ts';
import { findLatestReadyRevision, insertRevision } from '../store/revisions.ts';
import { getSetting } from '../store/settings.ts';
import { listAppliedContents } from '../store/speakers.ts';
import type { JobQueue } from './job.ts';
import { type BuiltDraft, buildDraft, draftRevision, readRevisionInputs } from './revision-draft.ts';
import type { EncodedContent } from './table-work.ts';

export interface CommittedRevision {
  readonly revision_id: string;
  readonly number: number;
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
  const { content, communities } = await upToDate(tx, prepared);
  const parent = await findLatestReadyRevision(tx);
  const revision = await insertRevision(tx, {
    state: 'ready',
    content_hash: await storeContent(tx, content),
    parent_id: parent?.id ?? null,
    rollback_of: null,
    trigger,
    prefix_count: content.prefixCount,
    communities: [...communities],
    warnings: [],
  });
  const applied = await listAppliedContents(tx);
  const stale = applied.some((speaker) => speaker.content_hash !== content.contentHash);
  const job =
    stale && (await getSetting(tx, 'auto_apply'))
      ? await queue.enqueue(tx, {
          type: 'apply',
          input: { revision_id: revision.id, speaker_ids: null },
          resource: { type: 'revision', id: revision.id },
          requestedBy: trigger.actor ?? 'auto:scheduler',
          parentId: parentJobId,
        })
      : null;
  return {
    revision_id: revision.id,
    number: revision.number,
    content_changed: parent?.content_hash !== content.contentHash,
    apply_job_id: job?.id ?? null,
  };
}

/** Another refresh may have been committed, or an operator may have changed a module, while this one was built. */
async function upToDate(tx: TenantTx, prepared: BuiltDraft): Promise<BuiltDraft> {
  const inputs = await readRevisionInputs(tx);
  if (isDeepStrictEqual(inputs, prepared.inputs)) return prepared;
  return buildDraft(await draftRevision(tx, null));
}

/** Stores the content, unless it is one that was there before it was built. */
export async function storeContent(
  tx: TenantTx,
  { contentHash, prefixCount, encoded }: EncodedContent,
): Promise<string> {
  return encoded === null ? contentHash : storeTable(tx, encoded, prefixCount);
}
