import type { EntriesRestore, RestoredEntries } from '../../api/lists/removed.ts';
import { NAMED_ENTRIES } from '../../api/activity/audit-entries.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockModuleEntries } from '../../store/entries/entry-sets.ts';
import {
  listRemovedChunks,
  listRemovedKeys,
  lockRemovedEntries,
  type RemovedBatch,
  type RemovedChunk,
} from '../../store/entries/removed-lists.ts';
import {
  noteRestored,
  restoreChunk,
  settleRemoval,
  type RestoredRows,
} from '../../store/entries/restored-lists.ts';
import { identifyModule } from '../../store/modules/modules.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { checkCommunityPolicy } from '../policy/written.ts';
import { KINDS } from './kinds.ts';
import { refuseMissing, replaceMissing, type Replaced } from './missing-references.ts';
import { recountEntries } from './recount-entry.ts';

/** What came back, and what operators call the first of it. */
export interface Restored<Answer> {
  readonly answer: Answer;
  readonly names: readonly string[];
}

/**
 * Puts the entries of a removal back: all that have not expired and that nobody has added again, or none.
 * @throws {Problem} `not_found`; `conflict` when they were restored already or a community is gone;
 *   `tenant_policy`, `quota_exceeded`, `validation_failed` when they may not be any more
 */
export async function restoreEntries(
  tx: TenantTx,
  actor: string,
  moduleId: string,
  { batch: id, leave_out_missing: leavesOut = false }: EntriesRestore,
): Promise<Restored<RestoredEntries>> {
  await lockModuleEntries(tx, moduleId);
  const batch = await lockRemovedEntries(tx, moduleId, id, await getSetting(tx, 'removed_retention_days'));
  if (batch === null)
    throw new Problem(
      'not_found',
      `No removal of entries of this module has the id ${id}, or it was forgotten: GET /v1/modules/${moduleId}/removed-entries lists those that are kept.`,
    );
  if (batch.restored_at !== null)
    throw new Problem(
      'conflict',
      `These entries were restored at ${batch.restored_at} by ${batch.restored_by}. There is nothing left to restore of this removal.`,
    );
  const chunks = await listRemovedChunks(tx, id);
  const communities = await replaceCommunities(tx, chunks, {}, leavesOut);
  await requireAllowed(tx, batch, chunks);
  const { rows, names } = await restoreChunks(tx, batch, chunks, {
    communities: communities.ids,
    ...{ isUnread: false, beginsAgain: true },
  });
  const back = rows.flatMap(({ entries }) => entries);
  await recountEntries(
    tx,
    moduleId,
    new Map(back.map(({ id: entryId, enabled }) => [entryId, { did: false, does: enabled }])),
  );
  // What was collected of them may be there still, and then returns although they cannot be read now.
  if (back.length > 0) await noteRestored(tx, moduleId);
  await settleRemoval(tx, id, actor);
  const expired = sum(rows.map((row) => row.expired));
  const all = sum(chunks.map(({ entry_count: count }) => count));
  const counts = { restored: back.length, expired, already_there: all - expired - back.length };
  return { answer: { batch: id, ...counts, left_out: [...communities.missing] }, names };
}

/**
 * What takes the place of communities that are gone; those that entries have are allowed.
 * @param others beside those of the chunks, values by id
 * @throws {Problem} `conflict`, `tenant_policy`
 */
export async function replaceCommunities(
  tx: TenantTx,
  chunks: readonly RemovedChunk[],
  others: Readonly<Record<string, string>>,
  leavesOut: boolean,
): Promise<Replaced> {
  const remembered = Object.assign(
    {},
    others,
    ...chunks.map(({ communities }) => communities ?? {}),
  ) as Record<string, string>;
  if (Object.keys(remembered).length === 0) return { ids: new Map(), missing: [] };
  const present = await listAllCommunities(tx);
  const replaced = replaceMissing(remembered, new Map(present.map(({ community, id }) => [community, id])));
  if (!leavesOut) refuseMissing('community', '/v1/communities', replaced.missing);
  const used = new Set(Object.keys(remembered).map((id) => replaced.ids.get(id) ?? id));
  for (const { id, community } of present) if (used.has(id)) await checkCommunityPolicy(tx, { community });
  return replaced;
}

/** Looks at what people write as it would be looked at if they wrote it now. @throws {Problem} `tenant_policy`, `validation_failed` */
export async function requireAllowed(
  tx: TenantTx,
  { id, module_id: moduleId }: Pick<RemovedBatch, 'id' | 'module_id'>,
  chunks: readonly RemovedChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const kind = KINDS[(await identifyModule(tx, moduleId)).type];
  if (!('requireAllowed' in kind)) return;
  for (const chunk of chunks) await kind.requireAllowed(tx, moduleId, await listRemovedKeys(tx, id, chunk));
}

export async function restoreChunks(
  tx: TenantTx,
  batch: Pick<RemovedBatch, 'id' | 'module_id'>,
  chunks: readonly RemovedChunk[],
  how: Parameters<typeof restoreChunk>[3],
): Promise<{ readonly rows: readonly RestoredRows[]; readonly names: readonly string[] }> {
  const rows: RestoredRows[] = [];
  const names: string[] = [];
  for (const chunk of chunks) {
    const restored = await restoreChunk(tx, batch, chunk, how);
    rows.push(restored);
    if (names.length < NAMED_ENTRIES) names.push(...restored.names);
  }
  return { rows, names };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
