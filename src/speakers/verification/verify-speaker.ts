/** Whether the sessions of a speaker hold what was applied: compares the status of any daemon with the routes. Pure. */
import { counted } from '../../api/shapes/counted.ts';
import type { Family } from '../../core/address.ts';
import { expectedRoutes, type PeerExpectation } from '../exports/preview.ts';
import type { RoutesVersion } from '../routes-version.ts';
import type { SessionNotification, SessionStatus, SpeakerModel, SpeakerStatus } from '../speaker.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';

/** A peer of the speaker, and how many routes its session should hold. */
export interface Expectation extends PeerExpectation {
  readonly peerId: string;
  readonly name: string;
  readonly address: string;
  readonly families: readonly Family[];
}

export function expectationsOf(model: SpeakerModel, routes: RoutesVersion): Expectation[] {
  const expected = expectedRoutes(model, routes);
  return model.peers.map(({ id: peerId, name, address, families }, index) => ({
    ...{ peerId, name, address, families },
    ...expected[index]!,
  }));
}

/** Sessions that may fail, by peer, and since when they are up. */
export type WatchedSessions = ReadonlyMap<string, string>;

/** Sessions that are up and hold all routes. One that is still being sent routes is not watched yet. */
export function settledSessions(
  expectations: readonly Expectation[],
  status: SpeakerStatus,
): WatchedSessions {
  return new Map(
    sessionsNow(expectations, status).flatMap(({ peer_id: peerId, since }) =>
      since === null ? [] : [[peerId, since]],
    ),
  );
}

/** What is wrong, or not ready yet, with the session of a peer that was healthy. */
export interface PeerFault {
  readonly peerId: string;
  readonly name: string;
  /** For a person. */
  readonly text: string;
  readonly notification: SessionNotification | null;
  /** Waiting does not help: the peer has rejected the routes. */
  readonly isFinal: boolean;
  /** Waiting does not help: its administrator has ended the session, which says nothing about the routes. */
  readonly isGone: boolean;
  /** The session is up, and has been since before the apply. */
  readonly isUp: boolean;
  /** How often the session was up so far, where the driver knows. */
  readonly times: number;
}

/** Sessions that are up but are not the same as before. */
export function findRestarted(
  expectations: readonly Expectation[],
  watched: WatchedSessions,
  status: SpeakerStatus,
): PeerFault[] {
  const sessions = sessionsById(status);
  return expectations.flatMap(({ peerId, name }) => {
    const session = sessions.get(peerId);
    if (session === undefined || (watched.get(peerId) ?? session.since) === session.since) return [];
    const text = `the session with ${name} went down in between${because(session.lastError)}`;
    const { notification = null, times = 0 } = session;
    return [{ peerId, name, text, notification, isFinal: false, isGone: false, isUp: false, times }];
  });
}

/** What is wrong, or not ready yet, with the watched sessions. */
export function findSessionFaults(
  expectations: readonly Expectation[],
  watched: WatchedSessions,
  status: SpeakerStatus,
): PeerFault[] {
  const sessions = sessionsById(status);
  return expectations.flatMap((expectation) => {
    const { peerId, name } = expectation;
    if (!watched.has(peerId)) return [];
    const session = sessions.get(peerId);
    const text = faultOf(expectation, session) ?? lagOf(expectation, session);
    if (text === null) return [];
    const isUp = session?.state === 'established';
    const notification = isUp ? null : (session?.notification ?? null);
    const [isFinal, isGone] = [refusesRoutes(notification), isShutDown(notification)];
    return [{ peerId, name, text, notification, isUp, isFinal, isGone, times: session?.times ?? 0 }];
  });
}

/** The present sessions, to be watched from now on. */
export function sessionsNow(expectations: readonly Expectation[], status: SpeakerStatus): AppliedSession[] {
  const sessions = sessionsById(status);
  return expectations.map((expectation) => {
    const session = sessions.get(expectation.peerId);
    const isSettled = session !== undefined && faultOf(expectation, session) === null;
    return {
      peer_id: expectation.peerId,
      since: isSettled ? session.since : null,
      routes: totalOf(expectation, session),
    };
  });
}

export function sessionsById({ sessions }: SpeakerStatus): Map<string, SessionStatus> {
  return new Map(sessions.map((session) => [session.peerId, session]));
}

/** A peer that reached its limit of prefixes, or of its resources (RFC 4486), or that rejects an UPDATE as malformed, would do so again. */
export function refusesRoutes(notification: SessionNotification | null): boolean {
  if (notification?.direction !== 'received') return false;
  const { code, subcode } = notification;
  return (
    code === UPDATE_ERROR ||
    (code === CEASE && (subcode === MAXIMUM_PREFIXES || subcode === OUT_OF_RESOURCES))
  );
}

/** A peer whose administrator has shut it down, or has removed this speaker from its configuration (RFC 4486). */
function isShutDown(notification: SessionNotification | null): boolean {
  if (notification?.direction !== 'received') return false;
  const { code, subcode } = notification;
  return code === CEASE && (subcode === ADMINISTRATIVE_SHUTDOWN || subcode === PEER_DECONFIGURED);
}

export const UPDATE_ERROR = 3;
const CEASE = 6;
const MAXIMUM_PREFIXES = 1;
const ADMINISTRATIVE_SHUTDOWN = 2;
const PEER_DECONFIGURED = 3;
const OUT_OF_RESOURCES = 8;

function faultOf(expectation: Expectation, session: SessionStatus | undefined): string | null {
  const { name } = expectation;
  // It is read long afterwards, when the session may be up again.
  if (session?.state !== 'established')
    return `the session with ${name} went down${because(session?.lastError ?? null)}`;
  const total = totalOf(expectation, session);
  return total === null || session.routesExported === total
    ? null
    : `${name} is sent ${session.routesExported} of its ${counted(total, 'route')}`;
}

/** As many routes as before may be on their way with other communities. */
function lagOf({ name, limit }: Expectation, session: SessionStatus | undefined): string | null {
  return limit === null && session?.isBehind === true ? `${name} is still being sent its routes` : null;
}

function because(lastError: string | null): string {
  return lastError === null ? '' : ` (${lastError})`;
}

/** Sum over the negotiated families; a peer that did not negotiate one is sent only the other, which is not an error. */
export function totalOf(
  { families, routes, limit }: Expectation,
  session: SessionStatus | undefined,
): number | null {
  if (limit !== null) return null;
  const agreed = session?.families ?? families;
  return families.reduce((sum, family) => sum + (agreed.includes(family) ? routes[family] : 0), 0);
}
