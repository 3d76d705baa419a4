import type { RevisionTrigger } from '../api/revisions.ts';
import { encodeTable } from '../core/table-codec.ts';
import { listAllCommunities } from '../store/communities.ts';
import { loadTable, storeTable } from '../store/contents.ts';
import type { TenantTx } from '../store/database.ts';
import { findLatestReadyRevision, insertRevision } from '../store/revisions.ts';
import { listEntryInputs, listModuleInputs } from '../store/revision-inputs.ts';
import { getSetting } from '../store/settings.ts';
import { listAppliedContents } from '../store/speakers.ts';
import { buildRevision, type ModuleToBuild } from './build-revision.ts';
import type { JobQueue } from './job.ts';

export interface CommittedRevision {
  readonly revision_id: string;
  readonly number: number;
  readonly content_changed: boolean;
  readonly apply_job_id: string | null;
  readonly [key: string]: unknown;
}

/**
 * Builds the revision of all enabled modules from their snapshots, stores it, and queues its apply when some speaker runs
 * other content. The caller holds the tenant's revision lock, so that numbers follow the order of contents.
 */
export async function commitRevision(
  tx: TenantTx,
  queue: JobQueue,
  trigger: RevisionTrigger,
  parentJobId: string | null,
): Promise<CommittedRevision> {
  const modules: ModuleToBuild[] = [];
  for (const module of await listModuleInputs(tx)) {
    const table = await loadTable(tx, module.content_hash);
    modules.push({ ...module, table, entries: await listEntryInputs(tx, module.id) });
  }
  const built = buildRevision(
    modules,
    await listAllCommunities(tx),
    await getSetting(tx, 'default_community_id'),
  );
  const encoded = encodeTable(built.table);
  const prefixCount = { ipv4: built.table.ipv4.size, ipv6: built.table.ipv6.size };
  const parent = await findLatestReadyRevision(tx);
  const revision = await insertRevision(tx, {
    state: 'ready',
    content_hash: await storeTable(tx, encoded, prefixCount),
    parent_id: parent?.id ?? null,
    rollback_of: null,
    trigger,
    prefix_count: prefixCount,
    communities: [...built.communities],
    warnings: [],
  });
  const applied = await listAppliedContents(tx);
  const stale = applied.some((speaker) => speaker.content_hash !== encoded.contentHash);
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
    content_changed: parent?.content_hash !== encoded.contentHash,
    apply_job_id: job?.id ?? null,
  };
}
