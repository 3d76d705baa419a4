/** The status of a speaker in OpenBGPD. Remembers when it first saw a state, so that times do not move. */
import { ENDED_SILENTLY } from '../check.ts';
import { SessionCauses } from '../session-causes.ts';
import { sessionError } from '../session-fault.ts';
import type { SessionStatus, SpeakerStatus } from '../speaker.ts';
import type { OpenbgpdState } from './daemon.ts';
import type { NeighborStatus } from './read-status.ts';
import { familiesOf, type Configuration, type RenderedPeer } from './render.ts';

/** Milliseconds: OpenBGPD reports whole seconds, and is asked at any moment of one. */
const SAME_MOMENT = 3_000;

export class StatusView {
  readonly #causes = new SessionCauses();
  readonly #since = new Map<string, { readonly state: string; readonly at: number }>();

  statusOf(state: OpenbgpdState, running: Configuration | null): SpeakerStatus {
    return {
      reachable: true,
      version: state.version,
      routerId: null, // bgpctl does not report it
      uptimeSeconds: Math.max(0, Math.round((Date.now() - state.startedAt.getTime()) / 1000)),
      lastReconfiguredAt: state.reconfiguredAt?.toISOString() ?? null,
      sessions: running?.peers.map((peer) => this.#sessionOf(peer, state)) ?? [],
      error: null,
    };
  }

  #sessionOf(peer: RenderedPeer, { neighbors, lastErrors }: OpenbgpdState): SessionStatus {
    const neighbor = neighbors.find(({ address }) => address === peer.address);
    const isUp = neighbor?.state === 'established';
    const { peerId } = peer;
    const state = neighbor?.state ?? 'idle';
    const since = this.#sinceOf(peerId, neighbor);
    const silent = { error: endedOnce(neighbor) ? ENDED_SILENTLY : null, notification: null };
    const cause = this.#causes.look({
      ...{ peerId, state, since },
      ...(lastErrors.get(peer.address ?? '') ?? silent),
    });
    return {
      ...{ peerId, state, since, ...cause },
      routesExported: isUp ? neighbor.sent : 0,
      routesReceived: neighbor?.received ?? 0,
      updatesSent: neighbor?.updatesSent ?? 0,
      ...(isUp ? { families: neighbor.families } : {}),
      ...sessionError(state, peer.problem ?? notAgreed(peer, neighbor), cause.lastError),
    };
  }

  #sinceOf(peerId: string, neighbor: NeighborStatus | undefined): string {
    const state = neighbor?.state ?? 'idle';
    const ago = neighbor?.seconds ?? null;
    const known = this.#since.get(peerId);
    const at = Date.now() - (ago ?? 0) * 1_000;
    const isKnown = known?.state === state && (ago === null || Math.abs(known.at - at) < SAME_MOMENT);
    if (!isKnown) this.#since.set(peerId, { state, at });
    return new Date(this.#since.get(peerId)!.at).toISOString();
  }
}

/** OpenBGPD reports a time for a session that is down only if it was up before. */
function endedOnce(neighbor: NeighborStatus | undefined): boolean {
  return neighbor !== undefined && neighbor.state !== 'established' && neighbor.seconds !== null;
}

/** Names both sides, unlike `refusedFamilies` of check.ts: OpenBGPD itself offers no IPv6 if its interface has no IPv6 address. */
function notAgreed(peer: RenderedPeer, neighbor: NeighborStatus | undefined): string | null {
  if (neighbor?.state !== 'established') return null;
  const idle = familiesOf(peer).filter((family) => !neighbor.families.includes(family));
  if (idle.length === 0) return null;
  return `the peer and OpenBGPD have not agreed on ${idle.join(' and ')}: configure the family at the peer, give the interface that OpenBGPD calls from an address of it, or leave it out of families here`;
}
