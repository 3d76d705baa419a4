/** Whether what a module stays in the revision with is what routers have of it already. */
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import type { AppliedContent } from './guard-revision.ts';

/**
 * Whether every speaker runs at least the addresses that the share has: the same snapshot, of which entries may have left since, in the same families,
 * and nothing that was cut out of it has come back. A guardrail of today then protects nobody by holding all other lists.
 * @param exclusions what takes addresses out of it now
 */
export function isAsRunning(
  share: RevisionInput,
  exclusions: readonly RevisionInput[],
  applied: readonly AppliedContent[],
): boolean {
  return (
    applied.length > 0 &&
    applied.every(({ inputs }) => {
      const running = inputs.find(({ module_id }) => module_id === share.module_id);
      const cutOut = inputs.filter(({ purpose }) => purpose === 'exclude');
      return (
        running?.purpose === 'announce' &&
        share.purpose === 'announce' &&
        running.content_hash === share.content_hash &&
        holdsAll(running.families, share.families) &&
        holdsAll(share.left_out, running.left_out) &&
        cutOut.every((before) => exclusions.some((now) => cutsOutAsMuch(now, before)))
      );
    })
  );
}

function cutsOutAsMuch(now: RevisionInput, before: RevisionInput): boolean {
  return (
    now.module_id === before.module_id &&
    now.content_hash === before.content_hash &&
    holdsAll(now.families, before.families) &&
    holdsAll(before.left_out, now.left_out)
  );
}

function holdsAll(all: readonly string[], some: readonly string[]): boolean {
  const known = new Set(all);
  return some.every((one) => known.has(one));
}
