/** Whether the sessions of a speaker hold what was applied, whatever its daemon: its own words against the routes. Pure. */
import type { Family } from '../../core/address.ts';
import { expectedRoutes, type PeerExpectation } from '../exports/preview.ts';
import type { RoutesVersion } from '../routes-version.ts';
import type { SessionNotification, SessionStatus, SpeakerModel, SpeakerStatus } from '../speaker.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';

/** A peer of the speaker, and how many routes its session is to hold. */
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

/** Sessions that have something to lose, by peer, and since when they are up. */
export type WatchedSessions = ReadonlyMap<string, string>;

/** Those that are up and hold all. One that is still being sent routes is not watched yet. */
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

/** What is wrong, or not right yet, with the session of a peer that was well. */
export interface PeerFault {
  readonly peerId: string;
  readonly name: string;
  /** For a person. */
  readonly text: string;
  readonly notification: SessionNotification | null;
  /** Waiting does not help: the peer has refused the routes. */
  readonly isFinal: boolean;
  /** The session is up, and has been since before. */
  readonly isUp: boolean;
}

/** Sessions that are not the same any more that they were, and are up. */
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
    return [{ peerId, name, text, notification: session.notification ?? null, isFinal: false, isUp: false }];
  });
}

/** What is not, or not yet, as it should be with the sessions that are watched. */
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
    const text = faultOf(expectation, session);
    if (text === null) return [];
    const isUp = session?.state === 'established';
    const notification = isUp ? null : (session?.notification ?? null);
    return [{ peerId, name, text, notification, isUp, isFinal: refusesRoutes(notification) }];
  });
}

/** The sessions as they are, for whoever watches them from now on. */
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

/** A peer that has as many routes as it takes (RFC 4486), or that calls an UPDATE wrong, says the same of the same routes again. */
function refusesRoutes(notification: SessionNotification | null): boolean {
  if (notification?.direction !== 'received') return false;
  const { code, subcode } = notification;
  return code === UPDATE_ERROR || (code === CEASE && subcode === MAXIMUM_PREFIXES);
}

const UPDATE_ERROR = 3;
const CEASE = 6;
const MAXIMUM_PREFIXES = 1;

function faultOf(expectation: Expectation, session: SessionStatus | undefined): string | null {
  const { name } = expectation;
  if (session?.state !== 'established') {
    const { state = 'gone', lastError = null } = session ?? {};
    return `the session with ${name} was up and is ${state}${because(lastError)}`;
  }
  const total = totalOf(expectation, session);
  return total === null || session.routesExported === total
    ? null
    : `${name} is sent ${session.routesExported} of its ${total} routes`;
}

function because(lastError: string | null): string {
  return lastError === null ? '' : ` (${lastError})`;
}

/** Of the families that both sides agreed to; a peer that does not speak one is sent the other only, and that is nobody's fault. */
export function totalOf(
  { families, routes, limit }: Expectation,
  session: SessionStatus | undefined,
): number | null {
  if (limit !== null) return null;
  const agreed = session?.families ?? families;
  return families.reduce((sum, family) => sum + (agreed.includes(family) ? routes[family] : 0), 0);
}
