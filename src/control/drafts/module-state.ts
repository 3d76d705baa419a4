/** Names of what operators have made of modules, which distinguish an edit from what sources bring. */
import { hash } from 'node:crypto';
import type { HeldWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';

/** A module as a revision would have it. */
export interface ModuleState {
  readonly input: Pick<
    RevisionInput,
    'module_id' | 'purpose' | 'families' | 'policy_hash' | 'entries_hash' | 'content_hash'
  >;
  /** Of its enabled entries, those of one group separated by commas. */
  readonly entryIds: readonly string[];
}

/** A module without a state is disabled, or was never collected; or it is gone. */
export type Absence = 'disabled' | 'gone';

/** Names the module as it would be, and what operators have made of it. */
export function hashesOf(
  id: string,
  state: ModuleState | Absence,
): Pick<HeldWithdrawal, 'hash' | 'state_hash'> {
  const stateHash = stateHashOf(id, state);
  const content = typeof state === 'string' ? null : state.input.content_hash;
  return { hash: digest([stateHash, content]), state_hash: stateHash };
}

export function stateHashOf(id: string, state: ModuleState | Absence): string {
  if (typeof state === 'string') return digest([state, id]);
  const { purpose, families, policy_hash, entries_hash, content_hash } = state.input;
  return digest([id, purpose, families, policy_hash, state.entryIds, entries_hash ?? content_hash]);
}

function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts));
}
