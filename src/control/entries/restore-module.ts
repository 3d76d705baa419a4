import { isCollected } from '../../api/entries/entry-kinds.ts';
import type { ModuleRestore, RestoredModule } from '../../api/lists/removed.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { listRemovedChunks, lockRemovedModule } from '../../store/entries/removed-lists.ts';
import {
  keepContents,
  noteRestored,
  restoreModuleRow,
  restoreState,
  settleRemoval,
} from '../../store/entries/restored-lists.ts';
import { listNamesOfProfiles } from '../../store/modules/doh-profiles.ts';
import { findModule, findModuleNamed } from '../../store/modules/modules.ts';
import { addPendingOfHeld } from '../../store/modules/pending-changes.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { refuseMissing, replaceMissing, type Replaced } from './missing-references.ts';
import { type Restored, replaceCommunities, requireAllowed, restoreChunks, sum } from './restore-entries.ts';

/**
 * Puts a deleted module back as it was: its id, its settings, its entries with their ids, and as long as contents are kept, what was
 * collected, accepted and held of it. So its routes return without a source being asked.
 * @throws {Problem} `not_found`; `conflict` when it is there, its name was taken or what it refers to is gone; `tenant_policy`,
 *   `quota_exceeded`, `validation_failed` when something of it may not be any more
 */
export async function restoreModule(
  tx: TenantTx,
  actor: string,
  id: string,
  { name: newName, leave_out_missing: leavesOut = false }: ModuleRestore,
): Promise<Restored<RestoredModule>> {
  // What is collected and held of modules is written under it, by prunes as well.
  await lockTenant(tx, 'revision');
  const batch = await lockRemovedModule(tx, id, await getSetting(tx, 'removed_retention_days'));
  const present = await findModule(tx, id);
  if (present !== null) {
    const restored = batch?.restored_at ?? null;
    const since = restored === null ? '' : `, ${batch!.restored_by} has restored it at ${restored}`;
    throw new Problem(
      'conflict',
      `The module ${present.name} is there${since}. There is nothing to restore.`,
    );
  }
  if (batch?.restored_at !== null || batch.module === null || batch.state === null)
    throw new Problem(
      'not_found',
      `No deleted module has the id ${id}, or it was forgotten: GET /v1/removed-modules lists those that are kept.`,
    );
  const { module, state } = batch;
  const doh = (module.doh_profile_ids ?? []) as string[];
  const name = newName ?? String(module.name);
  await requireFreeName(tx, name, newName !== undefined);
  const chunks = await listRemovedChunks(tx, batch.id);
  const communities = await replaceCommunities(tx, chunks, state.communities ?? {}, leavesOut);
  const resolvers = await replaceResolvers(tx, state.resolvers ?? {}, leavesOut);
  const isUnread = !(await keepContents(tx, state));
  await restoreModuleRow(tx, batch, {
    name,
    communityId: replacedIn(communities, (module.community_id as string | null) ?? null),
    // Two may have become one.
    resolverIds: [...new Set(doh.flatMap((own) => replacedIn(resolvers, own) ?? []))],
    isUnread,
  });
  await requireAllowed(tx, batch, chunks);
  const { rows, names } = await restoreChunks(tx, batch, chunks, {
    ...{ communities: communities.ids, isUnread, beginsAgain: isUnread },
  });
  await restoreState(tx, state, isUnread);
  if (!isUnread) await noteRestored(tx, id);
  await addPendingOfHeld(tx, id);
  await settleRemoval(tx, batch.id, actor);
  const answer: RestoredModule = {
    ...{ id, name },
    restored: sum(rows.map(({ entries }) => entries.length)),
    expired: sum(rows.map(({ expired }) => expired)),
    left_out: [...communities.missing, ...resolvers.missing],
    is_collected_again: isUnread && chunks.some(({ kind }) => isCollected(kind)),
  };
  return { answer, names };
}

/** @param isGiven whether the caller chose it */
async function requireFreeName(tx: TenantTx, name: string, isGiven: boolean): Promise<void> {
  const holder = await findModuleNamed(tx, name);
  if (holder === null) return;
  const remedy = isGiven ? 'Choose another one.' : 'Restore it under another one, by /name.';
  const detail = `Another module is called ${holder.name} by now. ${remedy}`;
  throw new Problem('conflict', detail, { errors: [{ pointer: '/name', detail }] });
}

async function replaceResolvers(
  tx: TenantTx,
  remembered: Readonly<Record<string, string>>,
  leavesOut: boolean,
): Promise<Replaced> {
  if (Object.keys(remembered).length === 0) return { ids: new Map(), missing: [] };
  const replaced = replaceMissing(remembered, await listNamesOfProfiles(tx));
  if (!leavesOut) refuseMissing('DoH profile', '/v1/doh-profiles', replaced.missing);
  return replaced;
}

function replacedIn({ ids }: Replaced, id: string | null): string | null {
  if (id === null) return null;
  const other = ids.get(id);
  return other === undefined ? id : other;
}
