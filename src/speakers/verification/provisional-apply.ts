import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import type { RoutesVersion } from '../routes-version.ts';
import type { ApplyOutcome, RoutesModel, SpeakerDriver, SpeakerModel, SpeakerStatus } from '../speaker.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import type { WatchedSessions } from './verify-speaker.ts';

/** An apply that is tried out before it stays, and what it is tried on. */
export interface ProvisionalApply {
  readonly driver: Pick<SpeakerDriver, 'apply' | 'confirm' | 'undo' | 'canRevertPeers'>;
  /** The state of the daemon and its sessions, with the times that are shown for them. */
  readonly status: () => Promise<SpeakerStatus>;
  /** The configuration of the daemon. */
  readonly model: SpeakerModel;
  /** The confirmed routes that it runs. */
  readonly before: RoutesVersion;
  readonly routes: RoutesVersion;
  /**
   * What single peers go back to if they fail: of what they held, what these routes have too. Others go back to what they hold.
   * @param lost peers that had failed before anything was sent: on what they were sent before
   */
  readonly fallbacks?: (lost: ReadonlySet<string>) => Promise<ReadonlyMap<string, RoutesModel>>;
  /** The setting `deploy_max_failed_peers_percent`. */
  readonly maxFailedPercent: number;
  /** Of the peers that stay reverted, those that are tried as soon as they are back and settled. */
  readonly soon?: ReadonlySet<string>;
  /** Peers that an earlier apply left behind, which are watched and not waited for: see {@link ProvisionalApplyEnd.behind}. */
  readonly behind?: WatchedSessions;
  /** Peers that have all routes of an earlier apply, and have yet to show that they bear them. */
  readonly unproven?: WatchedSessions;
  /** Healthy peers that read slowly are waited for, whoever else waits: a canary is to show that its peers take the routes. */
  readonly isPatient?: boolean;
  /** Records which peers are about to be reverted: a process that takes over must not retry them by accident. */
  readonly onRevert: (peers: readonly RevertedPeer[]) => Promise<void>;
  /** Milliseconds that everything must be healthy where something changed: the setting `deploy_calm_milliseconds`. */
  readonly calm: number;
  /** Whether another apply waits for this one. */
  readonly isAwaited: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** The result of a provisional apply that stays. */
export interface ProvisionalApplyEnd extends ApplyOutcome {
  readonly sessions: readonly AppliedSession[];
  readonly peers: readonly PeerApplyResult[];
  /** What the speaker runs now, with the peers that were reverted. */
  readonly routes: RoutesVersion;
  /** Those that this apply reverted. */
  readonly reverted: readonly RevertedPeer[];
  /** How often the sessions of these had been up when they failed. */
  readonly times: ReadonlyMap<string, number>;
  /** Peers that had failed before this apply sent anything. */
  readonly lost: ReadonlySet<string>;
  /** Healthy peers that are still being sent the routes, since they read slowly. */
  readonly behind: WatchedSessions;
  /** Milliseconds of {@link ProvisionalApply.calm} that are left, since another apply waits. */
  readonly openCalm: number;
}
