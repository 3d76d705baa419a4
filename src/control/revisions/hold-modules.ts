import { forgetValidatorsOf } from '../../store/entries/fetched-entries.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  acceptSnapshots,
  endReleases,
  heldTogether,
  saveHeldModules,
} from '../../store/revisions/held-modules.ts';
import { forgetHeldEntries, rememberHeldEntries } from '../../store/revisions/held-entries.ts';
import { keepReleases, saveReleasedIn } from '../../store/revisions/held-withdrawals.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import type { ModuleInput } from '../../store/revisions/revision-inputs.ts';
import { followRolledBack, forgetRolledBack } from '../../store/revisions/rolled-back-snapshots.ts';
import { auditHeldModules } from '../audit/audit.ts';
import { entriesOf } from '../drafts/guard-revision.ts';
import type { BuiltDraft } from '../drafts/build-draft.ts';
import type { StoredRevision } from '../../store/revisions/stored-revisions.ts';

/**
 * Writes down which modules are held, and accepts the snapshots of all others, where nothing was found against the revision. Sources of
 * held modules are read in full each time, because "nothing has changed" would refer to a content that was not accepted.
 */
export async function holdModules(
  tx: TenantTx,
  revision: StoredRevision,
  { inputs, used, held, leftOvers, withdrawals, releasedIds, findings }: BuiltDraft,
): Promise<void> {
  // The caller holds the lock under which holds and releases are written, and these inputs are of that time: mostly there is nothing.
  const wasHeld = inputs.heldSnapshots.length + inputs.withdrawals.held.length > 0;
  if (wasHeld || held.length + withdrawals.length > 0) {
    const judgedIds = inputs.modules.map(({ id }) => id);
    await auditHeldModules(tx, revision, await saveHeldModules(tx, judgedIds, held, withdrawals));
  }
  const hasReleases = inputs.withdrawals.released.length > 0;
  if (hasReleases) await keepReleases(tx, releasedIds);
  await forgetValidatorsOf(
    tx,
    held.map(({ module_id }) => module_id),
  );
  await followRolledBack(tx, leftOvers);
  const heldIds = new Set(heldTogether(held, withdrawals).map(({ module_id }) => module_id));
  if (findings.length > 0) return;
  if (hasReleases) await saveReleasedIn(tx, revision.id);
  const accepted = used.filter(({ module_id }) => !heldIds.has(module_id));
  await acceptSnapshots(tx, accepted);
  if (inputs.modules.some(({ released }) => released !== null)) await endReleases(tx, accepted);
  const before = new Map(inputs.modules.map((module) => [module.id, module]));
  const heldBefore = new Set(inputs.heldSnapshots.map(({ module_id }) => module_id));
  for (const share of accepted)
    await followHeldEntries(tx, share, before.get(share.module_id)!, heldBefore.has(share.module_id));
  await forgetRolledBack(
    tx,
    accepted.flatMap((share) => (hasGoneOn(share, before.get(share.module_id)!) ? [share.module_id] : [])),
  );
}

/** Whether a module that was rolled back has other content than it was given back, or that again. What a failing source leaves is neither. */
function hasGoneOn(
  { content_hash: hash }: RevisionInput,
  { accepted, rolled_back_hash: taken }: ModuleInput,
): boolean {
  return taken !== null && (hash === taken || hash !== accepted?.content_hash);
}

/** Of a module that is free: what left it while it was held is remembered as it was accepted last, and what counts again is not any more. */
async function followHeldEntries(
  tx: TenantTx,
  used: RevisionInput,
  { id, accepted, held_entries: remembered }: ModuleInput,
  wasHeld: boolean,
): Promise<void> {
  if (!wasHeld && remembered.length === 0) return;
  const idOf = (entry: string): string => entry.slice(0, entry.indexOf(' '));
  const now = new Set((await entriesOf(tx, used)).split(',').map(idOf));
  const back = remembered.map(({ entry }) => idOf(entry)).filter((entryId) => now.has(entryId));
  await forgetHeldEntries(tx, id, back);
  if (!wasHeld || accepted === null || accepted.content_hash === used.content_hash) return;
  const { content_hash } = accepted;
  const gone = (await entriesOf(tx, accepted))
    .split(',')
    .filter((entry) => entry !== '' && !now.has(idOf(entry)));
  await rememberHeldEntries(
    tx,
    id,
    gone.map((entry) => ({ entry, content_hash })),
  );
}
