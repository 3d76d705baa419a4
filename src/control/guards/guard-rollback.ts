import type { Finding } from '../../api/revisions/revisions.ts';

/** What the guardrail about rollbacks looks at, of a module. */
export interface AfterRollback {
  readonly purpose: 'announce' | 'exclude';
  /** Of what was collected last. */
  readonly content_hash: string;
  /** Null: nothing of it changes by itself. */
  readonly entries_hash: string | null;
  /** What a rollback took back; null: nothing. */
  readonly rolled_back_hash: string | null;
}

/**
 * Whether a rollback keeps the module from having what was collected last. Of a module that the old revision did not have nothing is accepted
 * that a change could be measured from: it stays away whatever its sources say, until somebody edits or releases it. An exclusion
 * keeps addresses from being announced, so the old revision's lack of it is no reason to go without.
 * @param accepted hash of the content that was accepted last; null: nothing was, or a content without prefixes
 */
export function isRolledBack(
  { purpose, content_hash: hash, entries_hash: entries, rolled_back_hash: taken }: AfterRollback,
  accepted: string | null,
): boolean {
  if (taken === null) return false;
  if (accepted !== null) return hash === taken && hash !== accepted;
  return purpose === 'announce' && (hash === taken || entries !== null);
}

/** A module, as findings name it. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** Why a module is held whose content a rollback took back. */
export function rolledBackFinding(module: Named): Finding {
  return findingOf(
    module,
    `Module ${module.name}: a rollback took this content back. Correct the entry that brought it, or release the module to announce it again. Other content of the module is announced as usual.`,
  );
}

/** Why a module is held again that somebody had let through: a rollback came before any revision had it. */
export function releaseEndedFindings(
  module: Named & { readonly released: { readonly codes: readonly string[] } | null },
): Finding[] {
  return (module.released?.codes ?? []).map((code) => ({
    ...findingOf(
      module,
      `Module ${module.name}: what it has was let through although it breaks ${code}, and a rollback has ended that. Release it again if it is still meant.`,
    ),
    code,
  }));
}

/**
 * Why a module stays as a rollback brought it back, although its list lacks that.
 * @param what an operator had done to it, as the end of a sentence
 */
export function broughtBackFinding(module: Named, what: string): Finding {
  return findingOf(
    module,
    `Module ${module.name}: a rollback brought back what ${what}, and it stays so. Edit the module, or release it to take that away again.`,
  );
}

/** Why a revision is held: the next one would undo the rollback. */
export function stuckFinding(module: Named): Finding {
  return findingOf(
    module,
    `Module ${module.name}: a rollback brought back what an edit had taken away, and it cannot stay so: a community of its routes was deleted, or an older version did not record which they carry. Put it back into the list, or release the module to take it away.`,
  );
}

/** Whether the module stays as a rollback brought it back. */
export function isBroughtBack({ code }: Finding): boolean {
  return code === 'rolled_back';
}

function findingOf({ id }: Named, detail: string): Finding {
  return {
    ...{ code: 'rolled_back', detail, module_id: id, entry_id: null, community: null },
    ...{ examples: [], measured: null, limit: null },
  };
}
