import type { PeerApplyResult } from '../api/revisions/apply.ts';
import { MAXIMUM_REPORTED_PEERS, type ApplyStatus } from '../api/nodes/nodes.ts';
import { partialReason } from '../speakers/verification/peer-results.ts';
import type { ApplyOutcome } from '../speakers/speaker.ts';

/** How the last attempt at a bundle ended, as reported to the control plane. */
export type ApplyState = Pick<
  ApplyStatus,
  'sequence' | 'revision_id' | 'status' | 'announced' | 'withdrawn' | 'changed' | 'error' | 'peers'
>;

/** Whose bundle it was. */
export interface Attempted {
  readonly sequence: number;
  readonly revision_id: string;
}

/** Longer messages help nobody, and the control plane accepts no more. */
const MAXIMUM_WORDS = 4_000;

export const NOTHING_YET: ApplyState = {
  ...{ sequence: null, revision_id: null, status: 'unchanged', announced: 0, withdrawn: 0, changed: 0 },
  error: null,
};

export const NO_ROUTES: ApplyOutcome = { announced: 0, withdrawn: 0, changed: 0 };

export function taken(
  { sequence, revision_id }: Attempted,
  { announced, withdrawn, changed }: ApplyOutcome,
  peers: readonly PeerApplyResult[] = [],
): ApplyState {
  const status = announced + withdrawn + changed === 0 ? 'unchanged' : 'applied';
  const isWhole = partialReason(peers) === null;
  const base = { sequence, revision_id, status, announced, withdrawn, changed, error: null } as const;
  const reported = isWhole ? fittedFirst(peers) : peers;
  return reported.length === 0 ? base : { ...base, peers: reported.slice(0, MAXIMUM_REPORTED_PEERS) };
}

/** None if no peer is sent a cover: that all have their routes is said without them. */
function fittedFirst(peers: readonly PeerApplyResult[]): readonly PeerApplyResult[] {
  const isFitted = ({ fitted }: PeerApplyResult): boolean => fitted !== null && fitted !== undefined;
  if (!peers.some(isFitted)) return [];
  return peers.toSorted((a, b) => Number(isFitted(b)) - Number(isFitted(a)));
}

/** @param attempted null when it is unknown which bundle it would have been */
export function failed(
  attempted: Attempted | null,
  words: string,
  peers: readonly PeerApplyResult[] = [],
): ApplyState {
  const { sequence, revision_id } = attempted ?? NOTHING_YET;
  return {
    ...{ sequence, revision_id, status: 'failed', announced: 0, withdrawn: 0, changed: 0 },
    error: words.slice(0, MAXIMUM_WORDS),
    ...(peers.length === 0 ? {} : { peers: peers.slice(0, MAXIMUM_REPORTED_PEERS) }),
  };
}
