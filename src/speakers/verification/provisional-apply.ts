import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import type { RoutesVersion } from '../routes-version.ts';
import type { ApplyOutcome, SpeakerDriver, SpeakerModel, SpeakerStatus } from '../speaker.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';

/** An apply that is tried out before it stays, and on what. */
export interface ProvisionalApply {
  readonly driver: Pick<SpeakerDriver, 'apply' | 'confirm' | 'undo' | 'canRevertPeers'>;
  /** How the daemon and its sessions are, with the times that are told of them. */
  readonly status: () => Promise<SpeakerStatus>;
  /** What the daemon is configured to. */
  readonly model: SpeakerModel;
  /** What it runs for good. */
  readonly before: RoutesVersion;
  readonly routes: RoutesVersion;
  /** The setting `deploy_max_failed_peers_percent`. */
  readonly maxFailedPercent: number;
  /** Notes which peers are about to be put back: a process that takes over must not try them again by accident. */
  readonly onRevert: (peers: readonly RevertedPeer[]) => Promise<void>;
  /** How long all has to be well where something changed, in milliseconds: the setting `deploy_calm_milliseconds`. */
  readonly calm: number;
  /** Whether another apply waits for this one. */
  readonly isAwaited: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface ProvisionalApplyEnd extends ApplyOutcome {
  readonly sessions: readonly AppliedSession[];
  readonly peers: readonly PeerApplyResult[];
  /** What the speaker runs now, with the peers that were put back. */
  readonly routes: RoutesVersion;
  /** Those that were put back by this apply. */
  readonly reverted: readonly RevertedPeer[];
}
