/** The status of a speaker in BIRD. Remembers when it first saw a state, so that times do not move. */
import { FAMILIES } from '../../../core/address.ts';
import { refusedFamilies } from '../../check.ts';
import { SessionCauses, type SeenSession } from '../../session-causes.ts';
import { sessionError } from '../../session-fault.ts';
import type { SessionStatus, SpeakerModel, SpeakerStatus } from '../../speaker.ts';
import type { BirdState } from './read-status.ts';
import { readNotification } from './read-notification.ts';
import type { ProtocolStatus } from './read-status.ts';
import type { Configuration, RenderedPeer } from '../config/render.ts';
import { markOf } from './verify.ts';

/** Milliseconds: no session goes down and up again faster. */
const SAME_MOMENT = 1_000;

/** When a state was entered: by BIRD's clock if it reports that, and by ours. */
interface Moment {
  readonly state: string;
  readonly time: number | null;
  readonly since: string;
}

export interface Shown {
  readonly model: SpeakerModel | null;
  /** What was brought to BIRD last; null: nothing yet. */
  readonly running: Configuration | null;
  /** A deploy is in progress. */
  readonly isDeploying: boolean;
}

export class StatusView {
  readonly #seen = new Map<string, Moment>();
  readonly #causes = new SessionCauses();

  statusOf(state: BirdState, { model, running, isDeploying }: Shown): SpeakerStatus {
    return {
      reachable: true,
      version: state.version,
      routerId: model?.routerId ?? state.routerId,
      daemonRouterId: state.routerId,
      protocols: {
        total: state.protocols.length,
        up: state.protocols.filter((protocol) => protocol.state === 'up').length,
      },
      uptimeSeconds: state.uptimeSeconds,
      lastReconfiguredAt:
        state.reconfigured === null ? null : this.#when('reconfigured', '', state.reconfigured, state.now),
      sessions: running?.peers.map((peer) => this.#sessionOf(peer, state)) ?? [],
      error: isDeploying ? null : drift(state, running),
    };
  }

  #sessionOf(peer: RenderedPeer, state: BirdState): SessionStatus {
    const { peerId, protocol } = peer;
    const status = state.protocols.find(({ name }) => name === protocol);
    const sessionState = status?.sessionState ?? 'idle';
    const since = this.#when(`peer ${peerId}`, sessionState, status?.since ?? null, state.now);
    const cause = this.#causes.look({ peerId, state: sessionState, since, ...errorOf(status) });
    return {
      ...{ peerId, state: sessionState, since, ...cause },
      routesExported: status?.exported ?? 0,
      routesReceived: status?.received ?? 0,
      updatesSent: status?.sent ?? 0,
      families: FAMILIES.filter((family) => status?.idleFamilies.includes(family) !== true),
      ...sessionError(sessionState, problemOf(peer, status), cause.lastError),
    };
  }

  /**
   * Converts a time of BIRD's clock to ours, once: later changes of the clocks and BIRD's rounding must not move it. Without a time, it is
   * the first look that showed the state.
   */
  #when(what: string, state: string, time: number | null, now: number | null): string {
    const known = this.#seen.get(what);
    const isKnown = known?.state === state && Math.abs((known.time ?? 0) - (time ?? 0)) < SAME_MOMENT;
    if (known !== undefined && isKnown) return known.since;
    const ago = time === null || now === null ? 0 : Math.max(0, now - time);
    const since = new Date(Date.now() - ago).toISOString();
    this.#seen.set(what, { state, time, since });
    return since;
  }
}

function drift(state: BirdState, running: Configuration | null): string | null {
  if (running === null || state.reconfiguring || markOf(state, running.tag) === running.hash) return null;
  return 'BIRD runs another configuration than the one that was applied last: somebody took it back, or changed what BIRD reads. Apply again.';
}

function errorOf(status: ProtocolStatus | undefined): Pick<SeenSession, 'error' | 'notification'> {
  const { lastError = null, message = null } = status ?? {};
  if (lastError === null) return { error: null, notification: null };
  const notification = readNotification(lastError, message);
  const words = notification?.text ?? null;
  return { error: words === null ? lastError : `${lastError}: "${words}"`, notification };
}

/** What BIRD says where it could not bind: its words name neither the address nor the setting. */
const NO_SOCKET = 'Error: No listening socket';

function problemOf(
  { problem, withoutSocket }: RenderedPeer,
  status: ProtocolStatus | undefined,
): string | null {
  const isDeaf = status?.lastError === NO_SOCKET && status.sessionState !== 'established';
  return isDeaf ? withoutSocket : (problem ?? notAgreed(status));
}

function notAgreed(status: ProtocolStatus | undefined): string | null {
  return status?.sessionState === 'established' ? refusedFamilies(status.idleFamilies) : null;
}
