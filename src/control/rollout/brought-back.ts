/** What a rollback brings back although the lists lack it, which the next revision would take away again. */
import type { TenantTx } from '../../store/database/database.ts';
import type { HeldWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import { findPolicy, hashOfGroups } from '../../store/revisions/module-policies.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import type { EntryInput } from '../../store/revisions/range-inputs.ts';
import type { ModuleInput } from '../../store/revisions/revision-inputs.ts';
import {
  communitiesIn,
  groupsOf,
  hasCommunities,
  policyOfInput,
  withoutLargest,
} from '../drafts/kept-policy.ts';
import { isSameInput } from '../drafts/large-withdrawal.ts';
import { type Absence, type ModuleState, hashesOf } from '../drafts/module-state.ts';
import { type RevisionInputs, readRevisionFacts } from '../drafts/revision-draft.ts';
import { broughtBackFinding, isBroughtBack, stuckFinding } from '../guards/guard-rollback.ts';
import { policyOf } from '../tables/build-revision.ts';
import { tableCache } from '../tables/table-cache.ts';

/**
 * Modules of which the old revision has something that their lists do not bring any more, or bring with other communities. They stay as it
 * has them until an operator edits or releases them. Only modules are looked at that the rollback changes.
 * @param before inputs of the revision that is left
 * @param after those of the one that comes back
 * @param isSomething whether a content has prefixes
 */
export async function findBroughtBack(
  tx: TenantTx,
  before: readonly RevisionInput[],
  after: readonly RevisionInput[],
  isSomething: (contentHash: string) => boolean,
): Promise<HeldWithdrawal[]> {
  const left = new Map(before.map((input) => [input.module_id, input]));
  const changed = after.filter((input) => !isSameInput(left.get(input.module_id) ?? null, input));
  const { inputs, names } = await readRevisionFacts(tx);
  const kept = new Set(
    inputs.withdrawals.held.flatMap(({ module_id: id, findings }) =>
      findings.some(isBroughtBack) ? [id] : [],
    ),
  );
  const others = after.filter((input) => kept.has(input.module_id) && !changed.includes(input));
  const held: HeldWithdrawal[] = [];
  for (const input of [...changed, ...others]) {
    if (!isSomething(input.content_hash)) continue;
    const { module_id: id } = input;
    const module = inputs.modules.find((one) => one.id === id);
    const name = names.get(id) ?? input.name ?? id;
    const own = inputs.entries.filter(({ module_id }) => module_id === id);
    const what = await lacking(tx, input, module ?? (names.has(id) ? 'disabled' : 'gone'), own, inputs);
    if (what === null) continue;
    const canStay = await canStayAs(tx, input, inputs);
    const finding = canStay ? broughtBackFinding({ id, name }, what) : stuckFinding({ id, name });
    const state = module === undefined ? (names.has(id) ? 'disabled' : 'gone') : stateOf(module, own, inputs);
    held.push({ module_id: id, name, findings: [finding], ...hashesOf(id, state) });
  }
  return held;
}

/** What has become of the module since, as the end of a sentence; null: what it would be in the next revision with has all of the input. */
async function lacking(
  tx: TenantTx,
  input: RevisionInput,
  module: ModuleInput | Absence,
  entries: readonly EntryInput[],
  { communities, defaultCommunityId, staleIds }: RevisionInputs,
): Promise<string | null> {
  if (module === 'gone') return 'was deleted';
  if (module === 'disabled') return 'was disabled';
  if (module.purpose !== input.purpose) return `had another purpose (${module.purpose})`;
  if (module.families.join() !== input.families.join()) return 'had other families';
  const groups = input.policy_hash === null ? null : await findPolicy(tx, input.policy_hash);
  if (groups === null) return null;
  const then = communitiesIn(policyOfInput(input, groups, communities, staleIds));
  const now = communitiesIn(policyOf(module, entries, communities, defaultCommunityId));
  const gone = new Set(staleIds);
  const { labelSets } = await tableCache.load(tx, input.content_hash);
  const ids = [...new Set(labelSets.flat())].filter((id) => !gone.has(id));
  if (ids.some((id) => then(id) !== undefined && now(id) === undefined))
    return 'was removed from its list, or disabled in it';
  return ids.some((id) => then(id) !== now(id)) ? 'had other communities, or was disabled' : null;
}

async function canStayAs(
  tx: TenantTx,
  { policy_hash: hash, purpose }: RevisionInput,
  { communities }: RevisionInputs,
): Promise<boolean> {
  const groups = hash === null ? null : await findPolicy(tx, hash);
  return groups !== null && (purpose === 'exclude' || hasCommunities(groups, communities));
}

function stateOf(
  module: ModuleInput,
  entries: readonly EntryInput[],
  { defaultCommunityId }: RevisionInputs,
): ModuleState {
  const { id, purpose, families, entries_hash, content_hash } = module;
  const policy_hash = hashOfGroups(withoutLargest(groupsOf(module, entries, defaultCommunityId)));
  return {
    input: { module_id: id, purpose, families, policy_hash, entries_hash, content_hash },
    entryIds: entries.map(({ entry_ids: ids }) => ids),
  };
}
