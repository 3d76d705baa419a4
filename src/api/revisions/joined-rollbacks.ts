/** One rollback may take content of a module back and bring other content of it back: that is one finding, since two would contradict each other. */
import type { Finding } from './revisions.ts';

/**
 * @param findings of one module: what its snapshot is held for, and behind that what operators have made of it
 * @returns with one that says both, in the place of the second
 */
export function joinRollbacks(findings: readonly Finding[]): Finding[] {
  const [taken, brought] = findings.filter(({ code }) => code === 'rolled_back');
  if (taken === undefined || brought === undefined) return [...findings];
  const detail = taken.detail === brought.detail ? brought.detail : bothOf(taken.detail, brought.detail);
  return findings.flatMap((one) => (one === taken ? [] : one === brought ? [{ ...brought, detail }] : [one]));
}

/** Both begin with the same words, up to what the rollback did. */
function bothOf(taken: string, brought: string): string {
  let same = 0;
  while (same < taken.length && taken[same] === brought[same]) same++;
  const [did] = taken.slice(same).split('.');
  return `${taken.slice(0, same)}${did!}, and ${brought.slice(same)} A release announces what it took back, too.`;
}
