/** What the result of an apply says about each peer. Pure. */
import { counted } from '../../api/shapes/counted.ts';
import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import { presentCost } from '../exports/fitted-cost.ts';
import { presentError } from '../session-fault.ts';
import type { SessionStatus, SpeakerStatus } from '../speaker.ts';
import { sessionsById, totalOf, type Expectation, type PeerFault } from './verify-speaker.ts';

/** Above this number, peers are not listed one by one. */
const MAXIMUM_PEERS = 1_000;

export interface PeersOfApply {
  /** The speaker was taken back as a whole. */
  readonly isUndone: boolean;
  /** Peers that were healthy before. */
  readonly wasUp: ReadonlySet<string>;
  readonly faults: ReadonlyMap<string, PeerFault>;
  /** Peers that held other routes than the speaker ran before already, or were over their limit. */
  readonly wasBehind: ReadonlySet<string>;
  /** Peers that hold other routes than the speaker runs. */
  readonly reverted: ReadonlySet<string>;
  /** Those of them that are tried as soon as they are back and settled. */
  readonly soon: ReadonlySet<string>;
}

/** Peers that need attention first. */
const ORDER: readonly PeerApplyResult['status'][] = [
  'failed',
  'reverted',
  'incomplete',
  'over_limit',
  'down',
  'undone',
  'applied',
];

export function presentPeers(
  expectations: readonly Expectation[],
  status: SpeakerStatus,
  apply: PeersOfApply,
): PeerApplyResult[] {
  const sessions = sessionsById(status);
  return expectations
    .map((expectation) => presentPeer(expectation, sessions.get(expectation.peerId), apply))
    .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
    .slice(0, MAXIMUM_PEERS);
}

function presentPeer(
  expectation: Expectation,
  session: SessionStatus | undefined,
  apply: PeersOfApply,
): PeerApplyResult {
  const { peerId, name, address } = expectation;
  const fault = apply.faults.get(peerId);
  return {
    ...{ peer_id: peerId, name, address, was_up: apply.wasUp.has(peerId) },
    was_behind: apply.wasBehind.has(peerId),
    announced: session?.routesExported ?? 0,
    expected: totalOf(expectation, session),
    fitted: expectation.fitted === null ? null : presentCost(expectation.fitted),
    notification: fault?.notification ?? null,
    ...standing(expectation, session, apply),
  };
}

function standing(
  expectation: Expectation,
  session: SessionStatus | undefined,
  { isUndone, wasUp, faults, reverted, soon }: PeersOfApply,
): Pick<PeerApplyResult, 'status' | 'error'> {
  const { peerId } = expectation;
  const fault = faults.get(peerId);
  const total = totalOf(expectation, session);
  if (fault !== undefined && !isUndone && reverted.has(peerId))
    return { status: 'reverted', error: `${fault.text}. ${outlook(fault, session)}` };
  if (fault !== undefined)
    return fault.isUp && !isUndone
      ? { status: 'incomplete', error: `${fault.text}. It is sent the rest as it takes it` }
      : { status: 'failed', error: isUndone ? fault.text : `${fault.text}. ${TRIES_NEW}` };
  if (reverted.has(peerId))
    return { status: 'reverted', error: staying(session?.state === 'established', soon.has(peerId)) };
  if (expectation.limit !== null || expectation.unfitted !== null)
    return { status: 'over_limit', error: overLimit(expectation, session) };
  if (session?.state !== 'established') return { status: 'down', error: session?.lastError ?? null };
  if (isUndone) return { status: wasUp.has(peerId) ? 'undone' : 'incomplete', error: null };
  if (session.routesExported !== total)
    return {
      status: 'incomplete',
      error:
        total === null
          ? `it is sent ${counted(session.routesExported, 'route')} so far`
          : `it is sent ${session.routesExported} of its ${counted(total, 'route')} so far`,
    };
  return session.isBehind === true
    ? { status: 'incomplete', error: `it is still being sent its ${counted(total, 'route')}` }
    : { status: 'applied', error: presentError(session) };
}

function outlook({ isFinal }: PeerFault, session: SessionStatus | undefined): string {
  if (!isFinal) return FOLLOWS;
  return session?.state === 'established' ? RETURNED : RETURNS;
}

const RETURNED =
  'It was put back to what it held before, and the other peers keep the new routes. Fix the peer, then retry the apply';
const RETURNS =
  'The other peers keep the new routes. It is sent what it held before when it is back. Fix the peer, then retry the apply';
const FOLLOWS =
  'The other peers keep the new routes. It is sent what it held before when it is back, and the new routes three seconds after it is back';
const TRIES_NEW =
  'Its daemon keeps older routes for no single peer, so it gets the new ones again when it comes back';
const OUTLOOKS = [RETURNED, RETURNS, FOLLOWS, TRIES_NEW];

/** What a peer failed on, without the rest: whoever ends that apply otherwise, such as for a canary, makes another outlook. */
export function faultAlone(error: string): string {
  const outlook = OUTLOOKS.find((words) => error.endsWith(`. ${words}`));
  return outlook === undefined ? error : error.slice(0, -outlook.length - 2);
}

/** What is to be expected of a peer that goes on with what it held before. */
function staying(isUp: boolean, isSoon: boolean): string {
  const held = isUp
    ? 'it holds what it held before it failed'
    : 'it is down, and is sent what it held before it failed when it is back';
  if (!isSoon) return `${held}. Fix the peer, then retry the apply`;
  return isUp
    ? `${held}. The new routes follow three seconds after it holds all of that`
    : `${held}. The new routes follow three seconds after it is back`;
}

function overLimit({ routes, limit, unfitted }: Expectation, session: SessionStatus | undefined): string {
  const wanted = routes.ipv4 + routes.ipv6;
  if (unfitted !== null)
    return `its routes are more than max_prefixes_out, so it keeps the ${session?.routesExported ?? 0} it has: ${unfitted}`;
  return `its ${wanted} routes are more than max_prefixes_out ${limit}, so it keeps the ${session?.routesExported ?? 0} it has: raise max_prefixes_out, or send the peer fewer communities`;
}

/** Why some peers do not have what their speaker runs, for a person; null: all that were up have it. */
export function partialReason(peers: readonly PeerApplyResult[]): string | null {
  const behind = peers.filter(
    ({ status, was_up: wasUp }) => BEHIND.has(status) || (status === 'incomplete' && wasUp),
  );
  if (behind.length === 0) return null;
  const words = behind.slice(0, MAXIMUM_NAMED).map(({ name, error }) => `${name}: ${error}`);
  const rest = behind.length - words.length;
  return `${behind.length} of ${peers.length} peers do not have the revision. ${words.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

const BEHIND: ReadonlySet<PeerApplyResult['status']> = new Set(['failed', 'reverted', 'over_limit']);
const MAXIMUM_NAMED = 5;

/** Peers that were healthy before the apply and failed on it. */
export function failedPeers(peers: readonly PeerApplyResult[]): PeerApplyResult[] {
  return peers.filter(
    ({ status, was_up: wasUp }) =>
      wasUp && (status === 'failed' || status === 'reverted' || status === 'incomplete'),
  );
}
