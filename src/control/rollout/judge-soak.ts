/** What the sessions of canaries say of a revision while they are watched. Pure. */
import { counted } from '../../api/shapes/counted.ts';
import type { JobProgress } from '../../api/activity/jobs.ts';
import { NO_CANARY_SESSION } from '../../api/revisions/canaries.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import type { LiveSession, SpeakerLive } from '../../api/speakers/speakers.ts';
import { JobPause } from '../job.ts';

/** How long canaries may be silent beyond the soak. */
const SILENCE_SECONDS = 60;
/** Between looks while all is well. */
const PAUSE_SECONDS = 2;

/**
 * A session that is reported again is the same one when it began within this time of it, in milliseconds: clocks are read twice, and a time that is
 * five seconds off is corrected (speakers/reference-times.ts).
 */
const SAME_SESSION = 8_000;

/** How long a session that is down may be on its way back, in milliseconds: routers and processes that restart take some seconds. */
const ON_ITS_WAY = 20_000;
/** Seconds until canaries without a session to come have failed: a node says that it has the routes, and a moment later which sessions it has. */
const REPORT_SECONDS = 2;

/** What can be said of canaries at one moment. */
export interface SoakLook {
  /** What is wrong with canaries whose holders report them; for a person. */
  readonly faults: readonly string[];
  /** Canaries without a report: their process restarts or is gone. */
  readonly silent: readonly string[];
  /** Sessions that are up and hold all they should. */
  readonly sessions: number;
  /** Whether a session may come up while they are watched, and show something then. */
  readonly mayCome: boolean;
}

/**
 * What becomes of a soak in which nothing is wrong.
 * @param elapsed seconds since the canaries had the revision
 * @param seconds that it is to last
 * @param later what the progress says besides
 * @returns what the canaries failed by; null: they did well
 * @throws {JobPause} while it lasts
 */
export function afterSoak(
  { silent, sessions, mayCome }: SoakLook,
  elapsed: number,
  seconds: number,
  later: Pick<JobProgress, 'to_begin'> = {},
): string | null {
  // What the end will say anyway is said before it: a change that is urgent goes past the canaries then.
  const isHopeless = sessions === 0 && !mayCome && silent.length === 0;
  if (isHopeless && elapsed >= Math.min(REPORT_SECONDS, seconds)) return NO_WITNESS;
  const remaining = Math.max(seconds - elapsed, 0);
  if (silent.length > 0 && elapsed > seconds + SILENCE_SECONDS)
    return `No process reports ${silent.join(', ')}, so the outcome of the revision there is unknown. Start one with APP_SERVICE=app-all or app-speaker, or its agent.`;
  if (remaining > 0 || silent.length > 0) {
    const pause = Math.ceil(Math.min(remaining || PAUSE_SECONDS, PAUSE_SECONDS));
    const done = secondsDone(elapsed, seconds);
    throw new JobPause(pause, { phase: 'soak', done, total: seconds, ...later });
  }
  return sessions > 0 ? null : NO_WITNESS;
}

const NO_WITNESS = `${NO_CANARY_SESSION} What cannot wait goes to the other speakers by an apply that names them; for the rest, repair the session, give canaries another peer, or choose others in deploy_canary_speaker_ids.`;

export function secondsDone(elapsed: number, seconds: number): number {
  return Math.min(Math.floor(elapsed), seconds);
}

/** What is looked at of a canary. */
export interface LiveCanary extends Pick<SpeakerLive, 'reachable' | 'error'> {
  readonly sessions: readonly Pick<
    LiveSession,
    'peer_id' | 'peer_name' | 'state' | 'since' | 'routes_exported' | 'last_error'
  >[];
}

/** Who may show something of a canary, and when that is asked. */
export interface Witnesses {
  /** Peers that nobody has changed since it had the revision. */
  readonly unchanged: ReadonlySet<string>;
  /** By the clock that the times of sessions are of, in milliseconds. */
  readonly now: number;
}

/**
 * What the sessions of a canary say of it. A peer that somebody changed since is no witness any more.
 * @param sessions as they were when it had the revision
 */
export function judgeSessions(
  sessions: readonly AppliedSession[],
  live: LiveCanary,
  { unchanged, now }: Witnesses,
): Omit<SoakLook, 'silent'> & { readonly isUntold: boolean } {
  if (!live.reachable)
    return { faults: [`it does not answer: ${live.error}`], sessions: 0, mayCome: false, isUntold: false };
  const faults: string[] = [];
  let up = 0;
  let isUntold = false;
  const known = new Map(live.sessions.map((session) => [session.peer_id, session]));
  const mayCome = [...known.keys(), ...sessions.map(({ peer_id: id }) => id)].some((id) => {
    const session = known.get(id);
    const isExpected = session === undefined || now - Date.parse(session.since) < ON_ITS_WAY;
    return unchanged.has(id) && (isExpected || session.state === 'established');
  });
  for (const { peer_id: peerId, since, routes } of sessions) {
    if (!unchanged.has(peerId)) continue;
    const session = known.get(peerId);
    const isComplete =
      session?.state === 'established' && (routes === null || session.routes_exported === routes);
    if (isComplete) up++;
    if (since === null) continue;
    // Whoever holds a speaker reports every session: the process is new, and has not yet.
    if (session === undefined) isUntold = true;
    else if (session.state !== 'established')
      faults.push(`the session with ${session.peer_name} went down${why(session.last_error)}`);
    else if (Date.parse(session.since) - Date.parse(since) > SAME_SESSION)
      faults.push(`the session with ${session.peer_name} went down and came back (the log says why)`);
    else if (!isComplete)
      faults.push(
        `${session.peer_name} is sent ${session.routes_exported} of its ${counted(routes ?? 0, 'route')}`,
      );
  }
  return { faults, sessions: up, mayCome, isUntold };
}

function why(lastError: string | null): string {
  return lastError !== null ? ` (${lastError})` : '';
}
