import { FAMILIES } from '../../core/address.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { loadStored } from '../../store/contents/contents.ts';
import { lockModuleEntries } from '../../store/entries/entry-sets.ts';
import { findLookupEntries } from '../../store/lookup/lookup.ts';
import { isCountedAtOnce, movePrefixCount } from '../../store/modules/modules.ts';
import { findSnapshotTable } from '../../store/modules/snapshots.ts';
import { countRowsOf } from '../tables/table-threads.ts';

/**
 * Carries out an edit that may delete, disable or enable an entry, and has its prefixes count for the module or count no more: the snapshot
 * stays as it is until the next refresh, but a revision that is built from it takes what enabled entries have. What was collected from other
 * such entries, too, still counts. A large snapshot is left to the revision that follows the edit: reading it takes a hundred times as long as
 * the edit itself.
 */
export function recountEntry<T>(
  tx: TenantTx,
  moduleId: string,
  entryId: string,
  edit: () => Promise<T>,
): Promise<T> {
  return recountAround(tx, moduleId, [entryId], edit);
}

/** {@link recountEntry} for an edit of many. */
export async function recountAround<T>(
  tx: TenantTx,
  moduleId: string,
  ids: readonly string[],
  edit: () => Promise<T>,
): Promise<T> {
  await lockModuleEntries(tx, moduleId);
  const before = await countedAmong(tx, ids);
  const edited = await edit();
  const after = await countedAmong(tx, ids);
  const changed = ids
    .map((id) => [id, { did: before.has(id), does: after.has(id) }] as const)
    .filter(([, { did, does }]) => did !== does);
  await recountEntries(tx, moduleId, new Map(changed));
  return edited;
}

async function countedAmong(tx: TenantTx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const entries = await findLookupEntries(tx, ids);
  return new Set(ids.filter((id) => entries.get(id)?.enabled === true));
}

/** Whether an entry counted before an edit, and whether it does now. */
export interface Counting {
  readonly did: boolean;
  readonly does: boolean;
}

/** Has the prefixes of the entries count for the module, or count no more. The entries of the module must be locked. {@link recountEntry} */
export async function recountEntries(
  tx: TenantTx,
  moduleId: string,
  changed: ReadonlyMap<string, Counting>,
): Promise<void> {
  if (changed.size === 0) return;
  const snapshot = await findSnapshotTable(tx, moduleId);
  if (snapshot === null || !isCountedAtOnce(snapshot.rows)) return;
  const concerned = await countRowsOf(await loadStored(tx, snapshot.content_hash), [...changed.keys()]);
  if (concerned.length === 0) return;
  const rest = concerned.flatMap(({ entryIds }) => entryIds.filter((id) => !changed.has(id)));
  const others = await findLookupEntries(tx, [...new Set(rest)]);
  const countsBy = (entryIds: readonly string[], when: keyof Counting): boolean =>
    entryIds.some((id) => changed.get(id)?.[when] ?? others.get(id)?.enabled === true);
  const moved = { ipv4: 0, ipv6: 0 };
  for (const { entryIds, count } of concerned) {
    const sign = Number(countsBy(entryIds, 'does')) - Number(countsBy(entryIds, 'did'));
    for (const family of FAMILIES) moved[family] += sign * count[family];
  }
  await movePrefixCount(tx, moduleId, moved, snapshot.content_hash);
}
