/** What has become of the peers that applies did not wait for, by the state of their sessions. */
import type { SpeakerStatus } from '../../speakers/speaker.ts';
import {
  type Expectation,
  findRestarted,
  findSessionFaults,
  type PeerFault,
  sessionsById,
} from '../../speakers/verification/verify-speaker.ts';
import { proved, returned, type UnprovenPeer, type UnprovenPeers, watchedOf } from './unproven-peers.ts';

interface Situation {
  readonly expectations: readonly Expectation[];
  readonly status: SpeakerStatus;
  /** Peers that hold something else than their speaker runs. */
  readonly reverted: ReadonlySet<string>;
  /** Of the steady clock. */
  readonly now: number;
  /** How long one that has come back has to stay up. */
  readonly calm: number;
}

/** A peer that has refused what it has. */
export interface Refusal {
  readonly fault: PeerFault;
  /** That it was sent. */
  readonly routes: number;
}

/** @returns those that are left, and those of them that refuse what they have */
export function follow(
  peers: UnprovenPeers,
  { expectations, status, reverted, now, calm }: Situation,
): { readonly followed: UnprovenPeers; readonly refused: readonly Refusal[] } {
  const { slow, proving } = watchedOf(peers);
  const watched = new Map([...slow, ...proving]);
  const sessions = sessionsById(status);
  const restarted = new Set(findRestarted(expectations, watched, status).map(({ peerId }) => peerId));
  // Of those that were put back, too: whether they were up in between is looked at below.
  const away = [...peers].filter(([, { since }]) => since === null).map(([id]) => [id, ''] as const);
  const found = findSessionFaults(expectations, new Map([...watched, ...away]), status);
  const faults = new Map(found.map((fault) => [fault.peerId, fault]));
  const followed = new Map<string, UnprovenPeer>();
  const refused: Refusal[] = [];
  for (const [id, one] of peers) {
    const [fault, session] = [faults.get(id), sessions.get(id)];
    const times = session?.times ?? 0;
    if (one.since === null) {
      // An apply has tried it again meanwhile.
      if (!reverted.has(id)) continue;
      if (times <= one.sessions) followed.set(id, one);
      else if (session?.state === 'established') followed.set(id, returned(one, session.since, now + calm));
      else followed.set(id, fault?.isFinal === true ? one : { ...one, sessions: times });
      if (times <= one.sessions || fault?.isFinal !== true) continue;
    } else if (fault?.isFinal !== true) {
      if (restarted.has(id)) continue;
      const last = one.steps.at(-1)?.until ?? 0;
      const left = fault === undefined ? proved(one, now) : one;
      const isOpen = fault === undefined ? last > now && last < Infinity : fault.isUp;
      if (isOpen) followed.set(id, left);
      continue;
    } else followed.set(id, one);
    const { ipv4 = 0, ipv6 = 0 } = expectations.find(({ peerId }) => peerId === id)?.routes ?? {};
    refused.push({ fault, routes: ipv4 + ipv6 });
  }
  return { followed, refused };
}
