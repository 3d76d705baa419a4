/** Who is reached by whom, as far as the service knows. */
export { hasNoNode } from '../../../src/api/activity/attention.ts';

/** Of a speaker what says whom it reaches. */
interface Announcing {
  readonly id: string;
  readonly live?: {
    readonly reachable: boolean;
    readonly sessions: readonly { readonly state: string }[];
  } | null;
}

/** What becomes of routes that these speakers announce: `unknown` is one that is out of reach. */
export type Reach = 'peers' | 'nobody' | 'unknown';

export function reachOf(speakers: readonly Announcing[], announcing: readonly string[]): Reach {
  const own = speakers.filter(({ id }) => announcing.includes(id));
  if (own.some(({ live }) => live?.sessions.some(({ state }) => state === 'established'))) return 'peers';
  // One that is not in the list was made since it was read.
  return own.length < announcing.length || own.some(({ live }) => live?.reachable !== true)
    ? 'unknown'
    : 'nobody';
}
