import type { Finding } from '../../api/revisions/revisions.ts';

/** Why a module is held whose content a rollback took back. */
export function rolledBackFinding({ id, name }: { readonly id: string; readonly name: string }): Finding {
  return {
    code: 'rolled_back',
    detail: `Module ${name}: a rollback took this content back. Correct the entry that brought it, or release the module to announce it again. Other content of the module is announced as usual.`,
    ...{ module_id: id, entry_id: null, community: null, examples: [], measured: null, limit: null },
  };
}
