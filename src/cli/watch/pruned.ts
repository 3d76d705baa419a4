/** Where histories begin since revisions were pruned: what came before is not known from them, and must not look as if it had never been. */
import type { Schemas } from '#client';
import { counted } from '../render/counted.ts';
import type { Session } from '../session/run-remote.ts';

type Oldest = NonNullable<Schemas['History']['oldest']>;

export function isCut(oldest: Oldest | null): oldest is Oldest {
  return oldest !== null && oldest.pruned_before > 0;
}

/** With where to look further: the audit log outlives revisions. */
export function cutText(
  { contextWords }: Pick<Session, 'contextWords'>,
  oldest: Oldest,
  prefix: string,
): string {
  const { revision, created_at: at, pruned_before: count } = oldest;
  const were = count === 1 ? 'was' : 'were';
  return `Revision ${revision} of ${at} is the oldest that is kept, and ${counted(count, 'revision')} before it ${were} pruned: what these had is not known. Who edited it then: prefixcast${contextWords} audit list --prefix ${prefix}`;
}
