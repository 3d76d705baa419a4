/** Which of the peers that did not bear what their speaker runs are sent it once more, and when. */
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import { RoutesVersion } from '../../speakers/routes-version.ts';
import type { RoutesModel, SpeakerModel } from '../../speakers/speaker.ts';
import { expectationsOf, refusesRoutes, UPDATE_ERROR } from '../../speakers/verification/verify-speaker.ts';
import type { KnownReverted } from '../../store/rollout/reverted-peers.ts';
import { isBearable } from '../peer-routes/reverted-routes.ts';

/** So long a peer has to hold what it held before, until newer routes are tried again. */
const SETTLED_MILLISECONDS = 3_000;

/** Peers that were reverted, when something is to be applied. */
export interface RevertedChoice {
  /** They stay with what they hold. */
  readonly kept: readonly RevertedPeer[];
  /** They are sent what is to be applied. */
  readonly tried: readonly RevertedPeer[];
}

export const NONE_REVERTED: RevertedChoice = { kept: [], tried: [] };

interface Situation {
  /** What the speaker runs. */
  readonly current: RoutesModel;
  /** Since when sessions are up, by peer. */
  readonly settled: ReadonlyMap<string, string>;
}

/**
 * Those that stay with what they hold: who is down cannot show what it bears, and is tried again when it is up. So is who has failed not long
 * ago, since a try may cost it its session; but where somebody changed the peer, asks for what the speaker runs once more, or the routes are
 * no more than it holds, it is tried at once, or as soon as it is back. An apply that keeps the speaker's revision tries those only that
 * somebody has changed since. Another revision than it failed on takes away of what it holds what that revision does not have.
 * @param next what is to be applied; null: what the speaker runs
 * @param isRetry somebody asks for what is left of an apply
 */
export function chooseForApply(
  model: SpeakerModel,
  known: readonly KnownReverted[],
  next: RoutesModel | null,
  { current, settled, isRetry }: Situation & { readonly isRetry: boolean },
): RevertedChoice {
  const due = duePeers(model, known, next ?? current);
  const kept: RevertedPeer[] = [];
  const tried: RevertedPeer[] = [];
  for (const peer of known) {
    const { is_changed: isChanged } = peer;
    const isSame = peer.tried_revision_id === next?.revisionId;
    const narrowed = peer.narrowed || (next !== null && !isSame);
    const isAgain = isSame || next?.revisionId === current.revisionId;
    const isRequested = peer.requested || isChanged || isRetry || isAgain;
    const isTimely = isRequested || (next !== null && isBearable(peer, next)) || due.has(peer.peer_id);
    if (next === null && !isChanged) kept.push(peer);
    else if (isTimely && settled.has(peer.peer_id)) tried.push({ ...peer, narrowed });
    else kept.push({ ...peer, narrowed, retry: true, requested: isRequested });
  }
  return { kept, tried };
}

/**
 * Those to whom what the speaker runs is sent without an apply: they were down or in their pause when they were to be tried, and are not now.
 * @param now of the clock that `settled` goes by, in milliseconds
 */
export function chooseReturned(
  model: SpeakerModel,
  known: readonly KnownReverted[],
  { current, settled, now }: Situation & { readonly now: number },
): { readonly kept: readonly KnownReverted[]; readonly tried: readonly KnownReverted[] } {
  const due = duePeers(model, known, current);
  const isDue = (peer: KnownReverted): boolean => {
    const { peer_id: id, retry, requested, tried_revision_id: failedOn } = peer;
    const since = settled.get(id);
    // An apply that came while it was away would have been tried at once. One that it failed on is not, for ever.
    const isMissed = failedOn !== current.revisionId && isBearable(peer, current);
    const isTimely = requested || isMissed || due.has(id);
    return retry && isTimely && since !== undefined && now - Date.parse(since) >= SETTLED_MILLISECONDS;
  };
  const { true: tried = [], false: kept = [] } = Object.groupBy(known, (peer) => `${isDue(peer)}`);
  return { kept, tried };
}

/**
 * Those to whom these routes may be sent without a request: their pause is over, and after some tries in vain the routes are others than those
 * that they did not bear, or are fewer where those were too many.
 */
function duePeers(model: SpeakerModel, known: readonly KnownReverted[], routes: RoutesModel): Set<string> {
  const { reverted: _, ...whole } = routes;
  const spent = known.some(({ is_spent: isSpent }) => isSpent);
  const expected = spent ? expectationsOf(model, new RoutesVersion(whole)) : [];
  const isWorthWhile = (peer: KnownReverted): boolean => {
    if (peer.notification?.code === UPDATE_ERROR) return peer.tried_revision_id !== routes.revisionId;
    // One that is disabled is none of the model.
    const { ipv4 = Infinity, ipv6 = 0 } =
      expected.find(({ peerId }) => peerId === peer.peer_id)?.routes ?? {};
    return ipv4 + ipv6 < (peer.tried_routes ?? 0);
  };
  return new Set(
    known
      .filter((peer) => peer.is_due && (!peer.is_spent || isWorthWhile(peer)))
      .map(({ peer_id: id }) => id),
  );
}

/** Whether it is tried as soon as it is back, whatever its pause. */
export function isSoon({ retry, requested, notification }: RevertedPeer): boolean {
  return retry && (requested || !refusesRoutes(notification));
}
