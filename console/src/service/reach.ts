/** Who is reached by whom, as far as the service knows. */

/** Of a speaker what says whom it reaches. */
interface Announcing {
  readonly id: string;
  readonly live?: {
    readonly reachable: boolean;
    readonly sessions: readonly { readonly peer_id: string; readonly state: string }[];
  } | null;
}

interface Peer {
  readonly families: readonly string[];
  /** Whose routes it is sent; empty: all. */
  readonly community_ids: readonly string[];
}

interface Route {
  readonly prefix: string;
  readonly communities: readonly { readonly community_id: string }[];
}

/** Whether one of the routes is for the peer, by its families and communities. */
export function takes({ families, community_ids: wanted }: Peer, routes: readonly Route[]): boolean {
  return routes.some(
    ({ prefix, communities }) =>
      families.includes(prefix.includes(':') ? 'ipv6' : 'ipv4') &&
      (wanted.length === 0 || communities.some(({ community_id: id }) => wanted.includes(id))),
  );
}

/** What becomes of routes that these speakers announce: `unknown` is one that is out of reach. */
export type Reach = 'peers' | 'nobody' | 'unknown';

export function reachOf(
  speakers: readonly Announcing[],
  announcing: readonly string[],
  isFor: (peerId: string) => boolean,
): Reach {
  const own = speakers.filter(({ id }) => announcing.includes(id));
  if (own.some(({ live }) => live?.sessions.some((one) => one.state === 'established' && isFor(one.peer_id))))
    return 'peers';
  // One that is not in the list was made since it was read.
  return own.length < announcing.length || own.some(({ live }) => live?.reachable !== true)
    ? 'unknown'
    : 'nobody';
}
