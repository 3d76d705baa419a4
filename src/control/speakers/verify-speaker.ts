/** Whether the sessions of a speaker hold what was applied, whatever its daemon: its own words against the routes. Pure. */
import type { Family } from '../../core/address.ts';
import { expectedRoutes } from '../../speakers/builtin/preview.ts';
import type { RoutesVersion } from '../../speakers/builtin/routes-version.ts';
import type { SessionStatus, SpeakerModel, SpeakerStatus } from '../../speakers/speaker.ts';
import type { AppliedSession } from '../../store/database/apply-tables.ts';

/** A peer of the speaker, and how many routes its session is to hold; null: nobody can say. */
export interface Expectation {
  readonly peerId: string;
  readonly name: string;
  readonly families: readonly Family[];
  readonly routes: Readonly<Record<Family, number>> | null;
}

export function expectationsOf(model: SpeakerModel, routes: RoutesVersion): Expectation[] {
  const counts = expectedRoutes(model, routes);
  return model.peers.map(({ id: peerId, name, families }, index) => ({
    ...{ peerId, name, families },
    routes: counts[index]!,
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

/** Those that are not the sessions any more that they were; for a person. */
export function findRestarted(
  expectations: readonly Expectation[],
  watched: WatchedSessions,
  status: SpeakerStatus,
): string[] {
  const sessions = sessionsById(status);
  return expectations.flatMap(({ peerId, name }) => {
    const session = sessions.get(peerId);
    const isSame = session === undefined || (watched.get(peerId) ?? session.since) === session.since;
    return isSame ? [] : [`the session with ${name} went down in between${because(session.lastError)}`];
  });
}

/** What is not, or not yet, as it should be with the sessions; for a person. */
export function findSessionFaults(
  expectations: readonly Expectation[],
  watched: WatchedSessions,
  status: SpeakerStatus,
): string[] {
  if (!status.reachable) return [`the speaker does not answer: ${status.error}`];
  const sessions = sessionsById(status);
  return expectations.flatMap((expectation) => {
    if (!watched.has(expectation.peerId)) return [];
    const fault = faultOf(expectation, sessions.get(expectation.peerId));
    return fault === null ? [] : [fault];
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

function sessionsById({ sessions }: SpeakerStatus): Map<string, SessionStatus> {
  return new Map(sessions.map((session) => [session.peerId, session]));
}

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
function totalOf({ families, routes }: Expectation, session: SessionStatus | undefined): number | null {
  if (routes === null) return null;
  const agreed = session?.families ?? families;
  return families.reduce((sum, family) => sum + (agreed.includes(family) ? routes[family] : 0), 0);
}
