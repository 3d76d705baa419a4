import { forgetValidatorsOf } from '../../store/entries/fetched-entries.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  type JudgedModule,
  acceptSnapshots,
  endReleases,
  saveHeldModules,
} from '../../store/revisions/held-modules.ts';
import {
  type HeldWithdrawal,
  beginHolds,
  keepReleases,
  listHeldWithdrawals,
} from '../../store/revisions/held-withdrawals.ts';
import {
  type RevisionInput,
  listRevisionInputs,
  readEntryLists,
} from '../../store/revisions/revision-history.ts';
import { listEntriesHashes, storeEntries } from '../../store/modules/snapshots.ts';
import { type ModuleInput, listModuleInputs } from '../../store/revisions/revision-inputs.ts';
import { listEmptyContents, saveRolledBack } from '../../store/revisions/rolled-back-snapshots.ts';
import { auditHeldModules } from '../audit/audit.ts';
import { withVersionsOf } from '../guards/guard-change.ts';
import type { Guardrails } from '../guards/guardrails.ts';
import { isSameInput } from '../drafts/large-withdrawal.ts';
import {
  isBroughtBack,
  isRolledBack,
  releaseEndedFindings,
  rolledBackFinding,
} from '../guards/guard-rollback.ts';
import { isDrawnAlike } from '../revisions/drawn-alike.ts';
import { findBroughtBack } from './brought-back.ts';
import type { StoredRevision } from '../../store/revisions/stored-revisions.ts';

/** What a rollback takes back of modules, and what it leaves in its place. */
export interface TakenBack {
  /** Snapshots that the revision before it has, and the old one has not. */
  readonly snapshots: readonly RevisionInput[];
  /** Modules that are held from now on, because that is what they have. */
  readonly held: readonly JudgedModule[];
  /** Modules that stay as they come back, because their lists lack that. */
  readonly kept: readonly HeldWithdrawal[];
  /** Modules of which nothing comes back and nothing goes: what they are held for is as it was. */
  readonly staying: readonly HeldWithdrawal[];
  /** Modules that have what comes back, and so are held for nothing. */
  readonly freed: readonly string[];
}

/**
 * Compares what two revisions were built from. Where no module is held by itself, nothing is taken back of any.
 * @param left the revision that is left; null: there is none
 * @param after inputs of the one that comes back
 */
export async function findTakenBack(
  tx: TenantTx,
  left: Pick<StoredRevision, 'id'> | null,
  after: readonly RevisionInput[],
  { scope }: Pick<Guardrails, 'scope'>,
): Promise<TakenBack> {
  const modules = await listModuleInputs(tx);
  const before =
    left === null || scope === 'revision'
      ? []
      : await asAccepted(tx, await listRevisionInputs(tx, left.id), modules);
  const restored = new Map(after.map(({ module_id, content_hash }) => [module_id, content_hash]));
  const differing = before.filter(({ module_id, content_hash }) => restored.get(module_id) !== content_hash);
  const hashes = [...differing, ...after].map(({ content_hash }) => content_hash);
  const empty = await listEmptyContents(tx, hashes);
  const isSomething = (hash: string | undefined): hash is string => hash !== undefined && !empty.has(hash);
  const snapshots = differing.filter(
    ({ module_id, content_hash }) => isSomething(content_hash) || isSomething(restored.get(module_id)),
  );
  const taken = new Map(snapshots.map(({ module_id, content_hash }) => [module_id, content_hash]));
  const held = modules.filter((module) => {
    const rolled_back_hash = taken.get(module.id) ?? null;
    const accepted = restored.get(module.id);
    return isRolledBack({ ...module, rolled_back_hash }, isSomething(accepted) ? accepted : null);
  });
  const kept = scope === 'revision' ? [] : await findBroughtBack(tx, before, after, isSomething);
  const waiting = scope === 'revision' ? [] : modules.filter((module) => isReleaseEnded(module, restored));
  const others = waiting.filter((module) => !held.includes(module));
  const staying = scope === 'revision' ? [] : await listStaying(tx, { before, after, kept });
  return {
    ...{ snapshots, kept, staying },
    held: [
      ...held.map((module) => ({ module, findings: [rolledBackFinding(module)] })),
      ...others.map((module) => ({ module, findings: releaseEndedFindings(module) })),
    ].map(({ module, findings }) => ({
      ...{ module_id: module.id, findings, snapshot: module.content_hash },
    })),
    freed: modules.flatMap(({ id, content_hash }) => (restored.get(id) === content_hash ? [id] : [])),
  };
}

/**
 * What was accepted since and brings the same has made no revision of its own (control/revisions/same-revision.ts): that is what modules have, and
 * what is taken back of them.
 */
async function asAccepted(
  tx: TenantTx,
  inputs: readonly RevisionInput[],
  modules: readonly ModuleInput[],
): Promise<RevisionInput[]> {
  const acceptedOf = new Map(modules.map(({ id, accepted }) => [id, accepted]));
  const now: RevisionInput[] = [];
  for (const input of inputs) {
    const accepted = acceptedOf.get(input.module_id) ?? null;
    const isOther = accepted !== null && accepted.content_hash !== input.content_hash;
    if (!isOther || !(await isDrawnAlike(tx, input, accepted))) now.push(input);
    else {
      const { content_hash, entries_hash, left_out } = accepted;
      now.push({ ...input, content_hash, entries_hash, left_out });
    }
  }
  return now;
}

/** What is held for edits that would take too much away, in both revisions as it was before these. */
async function listStaying(
  tx: TenantTx,
  { before, after, kept }: Record<'before' | 'after', readonly RevisionInput[]> & Pick<TakenBack, 'kept'>,
): Promise<HeldWithdrawal[]> {
  const inputOf = (inputs: readonly RevisionInput[], id: string): RevisionInput | null =>
    inputs.find(({ module_id }) => module_id === id) ?? null;
  return (await listHeldWithdrawals(tx)).filter(
    ({ module_id: id, findings }) =>
      !findings.some(isBroughtBack) &&
      kept.every(({ module_id }) => module_id !== id) &&
      isSameInput(inputOf(before, id), inputOf(after, id)),
  );
}

/** Whether somebody let through what was collected last, and no revision had it before the rollback came. */
function isReleaseEnded(
  { id, purpose, released, content_hash: hash }: ModuleInput,
  restored: ReadonlyMap<string, string>,
): boolean {
  return (
    purpose === 'announce' && released?.content_hash === hash && restored.has(id) && restored.get(id) !== hash
  );
}

/**
 * Accepts what the rollback brings back, and holds modules for what it takes back, so that the next edit or refresh of another
 * module does not bring that with it; others stay as they come back, so that it does not take that away. What was let through has to be let through again.
 * @param inputs snapshots of the old revision
 */
export async function takeBack(
  tx: TenantTx,
  rollback: StoredRevision,
  inputs: readonly RevisionInput[],
  { snapshots, held, kept, staying, freed }: TakenBack,
): Promise<void> {
  const accepted = await asOfNow(tx, inputs);
  await acceptSnapshots(tx, accepted);
  await endReleases(tx, accepted);
  await saveRolledBack(tx, snapshots, new Set(accepted.map(({ module_id }) => module_id)));
  await auditHeldModules(tx, rollback, await saveHeldModules(tx, freed, held, [...kept, ...staying]));
  await beginHolds(
    tx,
    kept.map(({ module_id }) => module_id),
  );
  await keepReleases(tx, []);
  await forgetValidatorsOf(
    tx,
    held.map(({ module_id }) => module_id),
  );
}

/**
 * The snapshots of the old revision, as if their entries had been edited before: an operator who takes back what an edit brought has not
 * asked for it any more. So what a source says beside them is a change by itself from here on.
 */
async function asOfNow(tx: TenantTx, inputs: readonly RevisionInput[]): Promise<RevisionInput[]> {
  const latest = await listEntriesHashes(tx);
  const edited = inputs.flatMap(({ module_id: id, entries_hash: then }) => {
    const now = latest.get(id);
    return then === null || now === undefined || now === then ? [] : [then, now];
  });
  // A list may be of a hundred thousand entries, and of most modules it is the same still.
  const lists = await readEntryLists(tx, [...new Set(edited)]);
  const accepted: RevisionInput[] = [];
  for (const input of inputs) {
    const then = lists.get(input.entries_hash ?? '');
    const now = lists.get(latest.get(input.module_id) ?? '');
    if (then === undefined || now === undefined || then === now) accepted.push(input);
    else accepted.push({ ...input, entries_hash: await storeEntries(tx, withVersionsOf(now, then)) });
  }
  return accepted;
}
