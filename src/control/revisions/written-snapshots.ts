import { storedCache } from '../tables/stored-cache.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findModuleToCollect } from '../../store/modules/module-to-collect.ts';
import { settleCollects } from '../../store/modules/pending-changes.ts';
import { recordRefresh } from '../../store/modules/snapshots.ts';
import { findUnknownReferences } from '../../store/references.ts';
import { KINDS } from '../entries/kinds.ts';
import { readWritten, settleWritten, writtenSnapshot } from '../entries/written-snapshot.ts';
import { storeContent } from './store-content.ts';

/**
 * Takes the edits of entries that are prefixes themselves, which need no collecting, into their modules' snapshots: a revision holds
 * what was deleted of them in any case, so that without this it would hold half of a change. The caller holds the tenant's revision lock.
 * @param moduleIds enabled modules with edits
 * @param jobId the job that builds the revision
 */
export async function storeWrittenSnapshots(
  tx: TenantTx,
  moduleIds: readonly string[],
  jobId: string | null,
  signal?: AbortSignal,
): Promise<void> {
  for (const moduleId of moduleIds) {
    signal?.throwIfAborted();
    const found = await findModuleToCollect(tx, moduleId); // before the entries
    if (found === null) continue;
    const { module, snapshot: before, editIds } = found;
    const kind = KINDS[module.type];
    if (!('prefixes' in kind)) continue;
    const seen = before === null ? null : await storedCache.load(tx, before.content_hash);
    const entries = await readWritten(tx, kind, moduleId, seen);
    const snapshot = await writtenSnapshot(entries, seen, signal);
    // Somebody may have deleted it meanwhile.
    if ((await findUnknownReferences(tx, 'module_ids', [moduleId])).length > 0) continue;
    const collected = {
      contentHash: await storeContent(tx, snapshot, seen),
      ...{ notes: { entries: null, warnings: [] }, storedEntries: null },
    };
    const last = { status: 'ok', error: null, job_id: jobId } as const;
    await recordRefresh(tx, moduleId, last, snapshot.prefixCount, true, collected);
    await settleCollects(tx, editIds);
    await settleWritten(tx, moduleId, entries);
  }
}
