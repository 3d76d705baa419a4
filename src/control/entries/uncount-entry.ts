import { FAMILIES } from '../../core/address.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { loadStored } from '../../store/contents/contents.ts';
import { findLookupEntries } from '../../store/lookup.ts';
import { lowerPrefixCount } from '../../store/modules.ts';
import { findSnapshot } from '../../store/snapshots.ts';
import { countRowsOf } from '../tables/table-threads.ts';

/**
 * Takes the prefixes of an entry that was deleted out of the count of its module: the snapshot has them until the next refresh, but no
 * revision that is built from it. What was collected from other entries, too, still counts. A large snapshot is read in a thread.
 */
export async function uncountEntry(tx: TenantTx, moduleId: string, entryId: string): Promise<void> {
  const snapshot = await findSnapshot(tx, moduleId);
  if (snapshot === null) return;
  const concerned = await countRowsOf(await loadStored(tx, snapshot.content_hash), entryId);
  if (concerned.length === 0) return;
  const others = await findLookupEntries(tx, [...new Set(concerned.flatMap(({ entryIds }) => entryIds))]);
  const gone = { ipv4: 0, ipv6: 0 };
  for (const { entryIds, count } of concerned) {
    if (entryIds.some((id) => others.has(id))) continue;
    for (const family of FAMILIES) gone[family] += count[family];
  }
  await lowerPrefixCount(tx, moduleId, gone, snapshot.content_hash);
}
