/** How many routes a write would announce and withdraw, and compared with what. */
import type { Schemas } from '#client';
import { named } from '../render/counted.ts';
import { summaryText } from '../render/diff-lines.ts';

type Effect = Pick<Schemas['Effect'], 'summary' | 'speakers' | 'revision' | 'applied_by_itself'>;

export interface RoutesLines {
  /** Of the revision that would follow; null: none would, and speakers come to run one that there is already. */
  readonly head: string | null;
  /** Where it says something else than `head`. */
  readonly bySpeaker: readonly string[];
}

/**
 * A new revision is compared with the latest one, and a speaker with what it announces: these differ where something waits, as in a freeze. Both
 * are said then, since peers are sent what their speakers announce. One without a peer that gets anything else, such as one that waits for its
 * node, is of no interest.
 */
export function routesLines({
  summary,
  speakers,
  revision,
  applied_by_itself: isApplied,
}: Effect): RoutesLines {
  const all = summaryText(summary);
  if (revision === null) {
    const moved = speakers.filter((one) => one.announced + one.withdrawn + one.changed > 0);
    return moved.length === 0
      ? { head: `Routes: ${all}`, bySpeaker: [] }
      : { head: null, bySpeaker: linesOf(moved, '') };
  }
  // As after a failed canary: the latest revision has routes that no speaker came to announce.
  if (isApplied && speakers.length === 0 && summary.announced + summary.withdrawn + summary.changed > 0)
    return {
      head: `Routes: ${all}, compared with the latest revision`,
      bySpeaker: ['No speaker announces anything else then: what it announces now is the same'],
    };
  const sending = speakers.filter(({ peers }) => peers.length > 0);
  if (sending.every((one) => summaryText(one) === all)) return { head: `Routes: ${all}`, bySpeaker: [] };
  return {
    head: `Routes: ${all}, compared with the latest revision`,
    bySpeaker: linesOf(sending, ', compared with what is announced there now'),
  };
}

/** Speakers with the same numbers in one line. */
function linesOf(speakers: Effect['speakers'], compared: string): string[] {
  return [...Map.groupBy(speakers, summaryText)].map(([text, some]) => {
    const { names } = named(
      'speaker',
      some.map(({ name }) => name),
    );
    return `At ${names}: ${text}${compared}`;
  });
}
