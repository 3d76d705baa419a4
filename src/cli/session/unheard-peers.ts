/** Peers that nobody has said anything of: after a restore or a start, a node or a process has yet to report its sessions. */
import type { Schemas } from '#client';
import { hasNoNode } from '../../api/activity/no-node.ts';
import type { Session } from './run-remote.ts';

interface Speaker {
  readonly id: string;
  readonly enabled: boolean;
  readonly mode: string;
  readonly agent: unknown;
  readonly live?: Live | null;
}

interface Live {
  readonly reachable: boolean;
  readonly sessions: readonly { readonly peer_id: string }[];
  readonly last_known_sessions?: readonly { readonly peer_id: string }[];
}

/** Whether its sessions may be up all the same. One whose node has yet to enroll has none. */
export function isUnheard(speaker: Speaker): boolean {
  return speaker.enabled && !hasNoNode(speaker) && speaker.live?.reachable === false;
}

/** Its enabled peers of whose sessions nothing is known, not even what they were. */
export function unheardPeers(speaker: Speaker, peers: readonly Schemas['Peer'][]): Schemas['Peer'][] {
  if (!isUnheard(speaker)) return [];
  const { id, live } = speaker;
  const known = [...(live?.sessions ?? []), ...(live?.last_known_sessions ?? [])];
  const ids = new Set(known.map(({ peer_id: peerId }) => peerId));
  return peers.filter(
    ({ id: peerId, enabled, speaker_ids: own }) =>
      enabled && (own.length === 0 || own.includes(id)) && !ids.has(peerId),
  );
}

/** All of them; none where somebody reports every speaker. */
export async function peersIfUnheard(
  { client }: Pick<Session, 'client'>,
  speakers: readonly Speaker[],
): Promise<readonly Schemas['Peer'][]> {
  if (!speakers.some(isUnheard)) return [];
  return client.list('/v1/peers', { params: { query: { limit: 500 } } }).toArray();
}
