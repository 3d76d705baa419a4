import { FAMILIES } from '../../core/address.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findLookupEntries } from '../../store/lookup.ts';
import { lowerPrefixCount } from '../../store/modules.ts';
import { findSnapshot } from '../../store/snapshots.ts';
import { tableCache } from '../tables/table-cache.ts';

/**
 * Takes the prefixes of an entry that was deleted out of the count of its module: the snapshot has them until the next refresh, but no
 * revision that is built from it. What was collected from other entries, too, still counts.
 */
export async function uncountEntry(tx: TenantTx, moduleId: string, entryId: string): Promise<void> {
  const snapshot = await findSnapshot(tx, moduleId);
  if (snapshot === null) return;
  const table = await tableCache.load(tx, snapshot.content_hash);
  const concerned = table.labelSets.filter((labels) => labels.includes(entryId));
  if (concerned.length === 0) return;
  const others = await findLookupEntries(tx, [...new Set(concerned.flat())]);
  const isGone = table.labelSets.map(
    (labels) => labels.includes(entryId) && !labels.some((id) => others.has(id)),
  );
  const gone = { ipv4: 0, ipv6: 0 };
  for (const family of FAMILIES) {
    const { size, labels } = table[family];
    for (let row = 0; row < size; row++) if (isGone[labels[row]!] === true) gone[family]++;
  }
  await lowerPrefixCount(tx, moduleId, gone, snapshot.content_hash);
}
