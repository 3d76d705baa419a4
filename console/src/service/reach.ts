/** Who is reached by whom, as far as the service knows. */
import { hasNoNode } from '../../../src/api/activity/no-node.ts';

/** Of a speaker what says whom it reaches. */
interface Announcing {
  readonly id: string;
  readonly live?: {
    readonly reachable: boolean;
    readonly sessions: readonly { readonly peer_id: string; readonly state: string }[];
  } | null;
}

interface Peer {
  readonly families: readonly Family[];
  /** Whose routes it is sent; empty: all. */
  readonly community_ids: readonly string[];
}

type Family = 'ipv4' | 'ipv6';

interface Route {
  readonly prefix: string;
  readonly communities: readonly { readonly community_id: string }[];
}

/** Whether one of the routes is for the peer, by its families and communities. */
export function takes({ families, community_ids: wanted }: Peer, routes: readonly Route[]): boolean {
  return routes.some(
    ({ prefix, communities }) =>
      families.includes(familyOf(prefix)) &&
      (wanted.length === 0 || communities.some(({ community_id: id }) => wanted.includes(id))),
  );
}

/** Why none of the routes is for the peer. */
export function untaken({ families }: Peer, routes: readonly Route[]): 'family' | 'communities' {
  return routes.some(({ prefix }) => families.includes(familyOf(prefix))) ? 'communities' : 'family';
}

function familyOf(prefix: string): Family {
  return prefix.includes(':') ? 'ipv6' : 'ipv4';
}

/** What becomes of routes that these speakers announce: `unknown` is one that is out of reach. */
export type Reach = 'peers' | 'nobody' | 'unknown';

export function reachOf(
  speakers: readonly Announcing[],
  announcing: readonly string[],
  isFor: (peerId: string, speakerId: string) => boolean,
): Reach {
  const own = speakers.filter(({ id }) => announcing.includes(id));
  const reaches = ({ id, live }: Announcing): boolean =>
    live?.sessions.some((one) => one.state === 'established' && isFor(one.peer_id, id)) === true;
  if (own.some(reaches)) return 'peers';
  // One that is not in the list was made since it was read.
  return own.length < announcing.length || own.some(({ live }) => live?.reachable !== true)
    ? 'unknown'
    : 'nobody';
}

interface Reason {
  readonly reason: string;
  readonly speaker_ids: readonly string[];
  readonly peer_ids: readonly string[];
}

/** Why a peer with a session is not sent what its speaker announces, or may not be. */
export type Unsent = 'no_next_hop' | 'too_many_routes' | 'peer_reverted';
const UNSENT: readonly string[] = [
  ...(['no_next_hop', 'too_many_routes', 'peer_reverted'] satisfies readonly Unsent[]),
];

/** Null: it is sent it, as far as anybody knows. */
export function unsentBy(reasons: readonly Reason[], peerId: string, speakerId: string): Unsent | null {
  const found = reasons.find(
    ({ reason, speaker_ids, peer_ids }) =>
      UNSENT.includes(reason) && speaker_ids.includes(speakerId) && peer_ids.includes(peerId),
  );
  return (found?.reason as Unsent | undefined) ?? null;
}

/** Whether it is not applied for the one reason that nobody has enrolled the nodes of these speakers yet. */
export function waitsForNodes(
  { reason, speaker_ids: ids }: Reason,
  speakers: readonly { readonly id: string; readonly mode: string; readonly agent: unknown }[],
): boolean {
  const own = speakers.filter(({ id }) => ids.includes(id));
  return reason === 'not_applied' && ids.length > 0 && own.length === ids.length && own.every(hasNoNode);
}
