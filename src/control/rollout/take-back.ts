import type { Revision } from '../../api/revisions/revisions.ts';
import { forgetValidatorsOf } from '../../store/entries/fetched-entries.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type JudgedModule, acceptSnapshots, saveHeldModules } from '../../store/revisions/held-modules.ts';
import { keepReleases } from '../../store/revisions/held-withdrawals.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import { listModuleInputs } from '../../store/revisions/revision-inputs.ts';
import { listEmptyContents, saveRolledBack } from '../../store/revisions/rolled-back-snapshots.ts';
import { auditHeldModules } from '../audit/audit.ts';
import { isRolledBack, rolledBackFinding } from '../guards/guard-rollback.ts';

/** What a rollback takes back of modules, and what it leaves in its place. */
export interface TakenBack {
  /** Snapshots that the revision before it has, and the old one has not. */
  readonly snapshots: readonly RevisionInput[];
  /** Modules that are held from now on, because that is what they have. */
  readonly held: readonly JudgedModule[];
  /** Modules that have what comes back, and so are held for nothing. */
  readonly freed: readonly string[];
}

/**
 * Compares what two revisions were built from.
 * @param before inputs of the revision that is left
 * @param after inputs of the one that comes back
 */
export async function findTakenBack(
  tx: TenantTx,
  before: readonly RevisionInput[],
  after: readonly RevisionInput[],
): Promise<TakenBack> {
  const restored = new Map(after.map(({ module_id, content_hash }) => [module_id, content_hash]));
  const differing = before.filter(({ module_id, content_hash }) => restored.get(module_id) !== content_hash);
  const hashes = [...differing, ...after].map(({ content_hash }) => content_hash);
  const empty = await listEmptyContents(tx, hashes);
  const isSomething = (hash: string | undefined): hash is string => hash !== undefined && !empty.has(hash);
  const snapshots = differing.filter(
    ({ module_id, content_hash }) => isSomething(content_hash) || isSomething(restored.get(module_id)),
  );
  const taken = new Map(snapshots.map(({ module_id, content_hash }) => [module_id, content_hash]));
  const modules = await listModuleInputs(tx);
  const held = modules.filter((module) => {
    const rolled_back_hash = taken.get(module.id) ?? null;
    const accepted = restored.get(module.id);
    return isRolledBack({ ...module, rolled_back_hash }, isSomething(accepted) ? accepted : null);
  });
  return {
    snapshots,
    held: held.map((module) => ({
      ...{ module_id: module.id, findings: [rolledBackFinding(module)], snapshot: module.content_hash },
    })),
    freed: modules.flatMap(({ id, content_hash }) => (restored.get(id) === content_hash ? [id] : [])),
  };
}

/**
 * Accepts what the rollback brings back, and holds modules for what it takes back, so that the next edit or refresh of another
 * module does not bring that with it. Whether edits take too much away is measured anew by the next build, and what was let through
 * of that has to be let through again.
 * @param accepted snapshots of the old revision
 */
export async function takeBack(
  tx: TenantTx,
  rollback: Revision,
  accepted: readonly RevisionInput[],
  { snapshots, held, freed }: TakenBack,
): Promise<void> {
  await acceptSnapshots(tx, accepted);
  await saveRolledBack(tx, snapshots, new Set(accepted.map(({ module_id }) => module_id)));
  await auditHeldModules(tx, rollback, await saveHeldModules(tx, freed, held, []));
  await keepReleases(tx, []);
  await forgetValidatorsOf(
    tx,
    held.map(({ module_id }) => module_id),
  );
}
