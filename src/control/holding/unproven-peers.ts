/**
 * Healthy peers that an apply did not wait for, since they read slowly or another apply waited: what each is known to bear, and what it was sent
 * since. While applies follow each other closely, each has its own time: a peer that stays up for so long after one of them bears that one,
 * whatever it was sent meanwhile.
 *
 * One that refuses goes back to what it had last, all of it, and stayed up with. Mostly that is what an apply before has sent a moment ago: routers
 * refuse routes at once, and what is older may lack a blackhole that somebody has just added. Where that was refused too, only later, the
 * peer refuses it once more when it is back, and goes on with what it has shown to bear.
 */
import type { RoutesVersion } from '../../speakers/routes-version.ts';
import { asFinal, ofAllPeers, type RoutesModel } from '../../speakers/speaker.ts';
import type { WatchedSessions } from '../../speakers/verification/verify-speaker.ts';
import type { ProvisionalApplyEnd } from '../../speakers/verification/provisional-apply.ts';

/** Routes that a peer was sent, and when it has shown that it bears them; infinite: when it has all of them. */
interface Step {
  readonly routes: RoutesModel;
  readonly until: number;
}

export interface UnprovenPeer {
  /** Its session is up since then; null: it was put back to the last step, and is waited for. */
  readonly since: string | null;
  /** How many sessions it had when it was put back. */
  readonly sessions: number;
  /** The latest routes of which it is known that it bears all. */
  readonly held: RoutesModel;
  /** What it was sent since, the oldest first; the last is what it has now. */
  readonly steps: readonly Step[];
}

export type UnprovenPeers = ReadonlyMap<string, UnprovenPeer>;

/** What the peer of these routes has, for good. */
function routesOfPeer(routes: RoutesVersion, peerId: string): RoutesModel {
  return ofAllPeers(asFinal(routes.forPeer(peerId).model));
}

/** With what its session, which has stayed up, has shown by now. */
export function proved(peer: UnprovenPeer, now: number): UnprovenPeer {
  const shown = peer.steps.findLastIndex(({ until }) => until <= now);
  if (shown === -1) return peer;
  return { ...peer, held: peer.steps[shown]!.routes, steps: peer.steps.slice(shown + 1) };
}

/** With routes that it was sent since. What it had not yet received all of, nobody goes back to. */
function sent(peer: UnprovenPeer, since: string, step: Step): UnprovenPeer {
  const whole = peer.steps.filter(({ until }) => until < Infinity);
  return { ...peer, since, steps: [...whole, step] };
}

/** What it had before the last step: it did not bear that. */
export function beforeLast({ held, steps }: UnprovenPeer): RoutesModel {
  return steps.at(-2)?.routes ?? held;
}

/**
 * One that was put back, and is to show that it bears that.
 * @param refused how many of the last steps it did not bear
 * @returns null: it has shown that before
 */
export function putBack(peer: UnprovenPeer, refused: 0 | 1, times: number): UnprovenPeer | null {
  const steps = peer.steps.slice(0, peer.steps.length - refused).filter(({ until }) => until < Infinity);
  return steps.length === 0 ? null : { ...peer, since: null, sessions: times, steps };
}

/** One that was put back has its session again. */
export function returned(peer: UnprovenPeer, since: string, until: number): UnprovenPeer {
  const last = peer.steps.at(-1)!;
  return { ...peer, since, steps: [...peer.steps.slice(0, -1), { ...last, until }] };
}

/** Those that are watched, by what they are watched for. */
export function watchedOf(peers: UnprovenPeers): {
  /** They are being sent routes. */
  readonly slow: WatchedSessions;
  /** They have all routes, and have yet to show that they bear them. */
  readonly proving: WatchedSessions;
} {
  const [slow, proving] = [new Map<string, string>(), new Map<string, string>()];
  for (const [id, { since, steps }] of peers)
    if (since !== null) (steps.at(-1)?.until === Infinity ? slow : proving).set(id, since);
  return { slow, proving };
}

/**
 * Who has yet to show that it bears what it has after this apply.
 * @param before what the speaker ran before it
 * @param now of the steady clock
 */
export function unprovenAfter(
  { routes: reached, openCalm, peers, sessions, behind, lost, times }: ProvisionalApplyEnd,
  unproven: UnprovenPeers,
  before: RoutesVersion,
  now: number,
): UnprovenPeers {
  const next = new Map<string, UnprovenPeer>();
  const isReverted = new Set(reached.revertedPeers);
  for (const [id, one] of unproven) {
    const until = one.steps.at(-1)?.until ?? 0;
    const failed = times.get(id);
    const kept = failed === undefined ? one : putBack(one, lost.has(id) ? 1 : 0, failed);
    // One that was put back is waited for until it is tried again; any other for its time.
    const isAway = kept?.since === null && isReverted.has(id);
    if (kept !== null && (isAway || (until > now && until < Infinity))) next.set(id, kept);
  }
  const sinceThen = new Map(sessions.map(({ peer_id: id, since }) => [id, since]));
  const toProve = (id: string, since: string, until: number): void => {
    const fresh = { since, sessions: 0, held: routesOfPeer(before, id), steps: [] };
    const known = unproven.get(id) ?? fresh;
    const own = known.since === since ? proved(known, now) : known;
    next.set(id, sent(own, since, { routes: routesOfPeer(reached, id), until }));
  };
  for (const { peer_id: id, status, was_up: wasUp } of peers)
    if (openCalm > 0 && wasUp && status === 'applied') toProve(id, sinceThen.get(id)!, now + openCalm);
  for (const [id, since] of behind) toProve(id, since, Infinity);
  return next;
}
