/**
 * Speakers: one driver per routing daemon behind one interface. `check` and `render` are pure (a model in, the daemon's files out); the
 * other methods talk to the daemon. The same driver serves the local apply and the node agent.
 *
 *     speaker.ts       the models, and the interface of drivers
 *     provisional.ts   confirm and undo for drivers whose daemon has neither
 *     renderers.ts     the pure half of every daemon, by its name
 *     check.ts, export-policy.ts, config-files.ts, feed-session.ts, owner.ts   what several daemons have in common
 *     limited-peers.ts, bars.ts   peers over their limit of routes, in daemons with one table for all peers
 *     builtin/, bird/  a folder per daemon
 */
import type { Family } from '../core/address.ts';
import type { FittedTable } from '../core/fitting/fit-table.ts';
import { type PrefixTable, emptyTable } from '../core/tables/prefix-table.ts';

/** One neighbour of a speaker, as the control plane resolved it (overrides of `policies_json` already applied). */
export interface PeerModel {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly remoteAsn: number;
  readonly localAsn: number;
  /** Local address of the session; null: the system chooses. */
  readonly localAddress: string | null;
  readonly families: readonly Family[];
  readonly passive: boolean;
  /** False: connections from this address belong to another tenant; absent: the peer's connections are accepted. */
  readonly takesCalls?: boolean;
  /** TTL of the session for a peer that is not directly connected; null: directly connected. */
  readonly multihop: number | null;
  readonly password: string | null;
  /** Why the peer can have no session, if the control plane knows before the daemon is asked. */
  readonly refusal?: string;
  /** Seconds, RFC 4271 section 4.2; 0 or at least 3. */
  readonly holdTime: number;
  readonly nextHopIpv4: string | null;
  readonly nextHopIpv6: string | null;
  /** Labels of the routing table this peer is sent; null: all. */
  readonly labels: readonly string[] | null;
  readonly maxPrefixesOut: number | null;
  /** Over its limit it is sent fewer routes that cover the same ({@link RoutesModel.fitted}); absent: it keeps what it has. */
  readonly fits?: true;
  readonly gracefulRestart: boolean;
  /** Seconds that the peer keeps the routes while we are away (RFC 4724), at most 4,095; absent: the daemon's default. */
  readonly restartTime?: number;
  /** Seconds beyond that for which it keeps them as stale (RFC 9494); absent: none. */
  readonly staleTime?: number;
  readonly bfd: boolean;
  /**
   * Whether the peer is known to be a BIRD, which takes many routes faster in its own order; absent: they are sent in the order of
   * addresses.
   */
  readonly isBird?: boolean;
}

export interface SpeakerModel {
  readonly tenantId: string;
  readonly speakerId: string;
  readonly name: string;
  /** Dotted quad, RFC 6286. */
  readonly routerId: string;
  readonly localAsn: number;
  /** Own address of each family: the next hop ("self") of routes whose family the session does not run over; null: none. */
  readonly localIpv4: string | null;
  readonly localIpv6: string | null;
  readonly peers: readonly PeerModel[];
  /** How routes are delivered to a local BIRD: in files, which is the default, or over a session. Other daemons have one way. */
  readonly birdRoutes?: 'static' | 'feed';
}

/** What a label of the table means on the wire. */
export interface LabelModel {
  /** Canonical community text: `65000:100`, `65000:1:100`, or a well-known name. */
  readonly community: string;
  readonly nextHopIpv4: string | null;
  readonly nextHopIpv6: string | null;
}

export interface RoutesModel {
  readonly revisionId: string;
  readonly table: PrefixTable;
  readonly labels: Readonly<Record<string, LabelModel>>;
  /** Adds NO_EXPORT (RFC 1997) to every route. */
  readonly noExport: boolean;
  /** Peers that run other routes than these, if the driver supports that; absent: none. */
  readonly reverted?: readonly RevertedRoutes[];
  /** Peers over their limit that are sent a cover, with the most routes that it may have; absent: none. */
  readonly fitted?: readonly FittedRoutes[];
  /** Why peers that should be sent such a cover are not; absent: there is none. */
  readonly unfitted?: readonly UnfittedPeer[];
  /** Peers over their limit, and what they hold, if the driver can't give single peers other routes; absent: none. */
  readonly limited?: readonly LimitedPeer[];
  /** Ids of peers that bars (bars.ts) keep routes from; only drivers set them; absent: none. */
  readonly barred?: readonly string[];
  /**
   * Set for the empty table of a speaker to which nothing was ever applied: peers are sent no End-of-RIB, so that those that kept routes
   * over a restart (RFC 4724), for example from another installation, keep them until the first apply or until their timers expire.
   */
  readonly isUnfinished?: true;
  /** Makes the apply provisional: the daemon reverts it after this many seconds unless the driver confirms it. */
  readonly confirmSeconds?: number;
}

/** What a daemon runs that was never given routes. */
export const EMPTY_ROUTES: RoutesModel = { revisionId: '', table: emptyTable(), labels: {}, noExport: true };

/** Peers that failed on newer routes and were reverted to what they held before. */
export interface RevertedRoutes {
  readonly peerIds: readonly string[];
  readonly routes: RoutesModel;
}

/** Fewer routes that cover what these peers would be sent. */
export interface FittedRoutes {
  readonly peerIds: readonly string[];
  /** Rows that the routes of the speaker have too have the same labels there. */
  readonly routes: RoutesModel;
  readonly cost: Omit<FittedTable, 'table'>;
}

/** A peer that keeps what it holds, since its routes can't be fitted, or only at a cost that a person has to allow. */
export interface UnfittedPeer {
  readonly peerId: string;
  /** For a person. */
  readonly reason: string;
  /** The cover that it was sent last, of which {@link RoutesModel.fitted} has what it may keep; null: it was sent none. */
  readonly held: LimitedPeer | null;
  /** Of the cover that a person has to allow; null: there is none. */
  readonly cost: FittedRoutes['cost'] | null;
}

/** A peer that would be sent more than its limit, and so keeps what it holds. */
export interface LimitedPeer {
  readonly peerId: string;
  /** The routes of its speaker when it was last sent all of them. */
  readonly held: RoutesModel;
  /** The labels, and families below, of which it was sent the routes. */
  readonly labels: readonly string[] | null;
  readonly families: readonly Family[];
}

/** The routes, for an apply that needs no confirmation. */
export function asFinal(routes: RoutesModel): RoutesModel {
  const { revisionId, table, labels, noExport, reverted, limited, fitted, unfitted } = routes;
  return {
    ...{ revisionId, table, labels, noExport },
    ...(reverted === undefined ? {} : { reverted }),
    ...(limited === undefined ? {} : { limited }),
    ...(fitted === undefined ? {} : { fitted }),
    ...(unfitted === undefined ? {} : { unfitted }),
  };
}

/** The routes, but for what single peers are sent in their place. */
export function ofAllPeers(routes: RoutesModel): RoutesModel {
  const { limited: _, reverted: __, fitted: ___, unfitted: ____, ...rest } = routes;
  return rest;
}

export type SessionState = 'idle' | 'connect' | 'active' | 'open_sent' | 'open_confirm' | 'established';

export interface SessionStatus {
  readonly peerId: string;
  readonly state: SessionState;
  /** When the state was entered, RFC 3339. */
  readonly since: string;
  /** How often it was up so far, where the driver knows: one that is down may have been up in between. */
  readonly times?: number;
  /** Routes that the peer has been sent and holds, IPv4 and IPv6 together. */
  readonly routesExported: number;
  readonly routesReceived: number;
  readonly updatesSent: number;
  /** True while the peer has not been sent everything of the last apply, where the driver knows. */
  readonly isBehind?: boolean;
  /** Negotiated families, where the driver knows; otherwise those of the peer's model count. */
  readonly families?: readonly Family[];
  readonly lastError: string | null;
  /** {@link lastError} says why an earlier session ended: this one is up and healthy. */
  readonly isPast?: true;
  /** When a session that is down is tried next, RFC 3339, where the driver knows; null: nothing is planned. */
  readonly nextAttempt?: string | null;
  /** The NOTIFICATION (RFC 4271 section 4.5) of {@link lastError}, where the driver knows; null: there was none. */
  readonly notification?: SessionNotification | null;
}

/** The content of a NOTIFICATION. */
export interface SessionNotification {
  readonly direction: 'received' | 'sent';
  readonly code: number;
  readonly subcode: number;
  /** Name of code and subcode in the IANA registry. */
  readonly name: string;
  /** The peer's own words (RFC 9003), or the limit that it reported (RFC 4486); null: none. */
  readonly text: string | null;
}

export interface SpeakerStatus {
  readonly reachable: boolean;
  readonly version: string | null;
  readonly routerId: string | null;
  readonly uptimeSeconds: number | null;
  readonly lastReconfiguredAt: string | null;
  /** The daemon's own router id, if it has one beside its speakers'. */
  readonly daemonRouterId?: string | null;
  /** The speaker's protocols, in daemons that have them. */
  readonly protocols?: { readonly total: number; readonly up: number };
  readonly sessions: readonly SessionStatus[];
  readonly error: string | null;
}

/** The status of a speaker whose daemon does not answer, with the reason. */
export function unreachable(error: unknown): SpeakerStatus {
  return {
    reachable: false,
    version: null,
    routerId: null,
    uptimeSeconds: null,
    lastReconfiguredAt: null,
    sessions: [],
    error: error instanceof Error ? error.message : String(error),
  };
}

/** What is worth a report at once where it changes: times that go on by themselves come with the next one. */
export function withoutTimes(status: SpeakerStatus): SpeakerStatus {
  const sessions = status.sessions.map((session) => ({ ...session, nextAttempt: null }));
  return { ...status, uptimeSeconds: null, sessions };
}

/** Difference between what the speaker ran before and what it runs now, in routes. */
export interface ApplyOutcome {
  readonly announced: number;
  readonly withdrawn: number;
  readonly changed: number;
}

/** A refusal or failure of a daemon, in words that its operator can act on. */
export class SpeakerError extends Error {
  override readonly name = 'SpeakerError';
  readonly code: string;
  /** The words are those of a daemon that all tenants share: they may quote files of the machine, which not everybody may read. */
  readonly isOfDaemon: boolean;
  constructor(code: string, message: string, options: ErrorOptions & { readonly isOfDaemon?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.isOfDaemon = options.isOfDaemon === true;
  }
}

/** A daemon of this machine with room for many speakers, which one process at a time may drive. */
export interface SharedDaemon {
  /** Takes the daemon for this process, or keeps it. @returns why it can't be taken, for a person; null: this process has it */
  claim(): Promise<string | null>;
  /** Lets another process drive the daemon. What it runs stays. */
  release(): Promise<void>;
  /** Ids of the speakers of this service that are in it, including those of other processes. */
  speakerIds(): Promise<string[]>;
  /** Removes a speaker from it. */
  removeSpeaker(speakerId: string): Promise<void>;
}

/** A file as the daemon would read it. */
export interface RenderedFile {
  /** Relative to the directory that the daemon reads. */
  readonly path: string;
  /** Contains passwords of sessions if the model does. Made on request: there may be many routes. */
  readonly content: string;
  /** True for a file of routes only. */
  readonly isRoutes: boolean;
}

/** What can be said about a configuration without the daemon. Pure. */
export interface Renderer {
  /** Returns the reasons why the daemon would refuse `model`; empty: none. */
  check(model: SpeakerModel): readonly string[];
  /** The files that the daemon would read; empty for an identity that {@link check} refuses. */
  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[];
}

/**
 * A driver whose daemon can't undo an apply: every apply is final. provisional.ts makes a {@link SpeakerDriver} of it. Methods reject with
 * {@link SpeakerError}.
 */
export interface PlainDriver extends Renderer {
  /** True if an apply can leave single peers with other routes ({@link RoutesModel.reverted}). */
  readonly canRevertPeers?: boolean;
  /** Brings identity and peers to `model`; sessions of unchanged peers stay up. */
  configure(model: SpeakerModel): Promise<void>;
  /**
   * Brings the daemon from any state to `routes`, sending peers only the difference. Resolves when established peers have been sent it.
   */
  apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome>;
  status(): Promise<SpeakerStatus>;
  /** Calls peers without a session now, as an apply does; absent: the daemon decides when it calls. */
  hurry?(): Promise<void>;
  /**
   * Makes the daemon read its whole configuration again, including the parts of others. A daemon without files is compared with what it
   * should have, or this is absent.
   */
  reload?(): Promise<void>;
  /** Ends the sessions; with `graceful`, peers keep the routes (RFC 4724), otherwise with Cease. */
  close(graceful: boolean): Promise<void>;
}

/**
 * Drives one speaker. An apply with `routes.confirmSeconds` is provisional: it stays only if {@link confirm} is called in time. Without, it
 * is final. After an apply rejects, the daemon runs what it ran before, or is going back to that.
 */
export interface SpeakerDriver extends PlainDriver {
  /**
   * Makes a provisional apply stay. Does nothing if there is none, since the last was final or changed nothing.
   * @throws {SpeakerError} `confirm_timeout` when the daemon has reverted already
   */
  confirm(): Promise<void>;
  /** Undoes a provisional apply at once: the daemon runs what was confirmed last. Does nothing if there is none. */
  undo(): Promise<void>;
}
