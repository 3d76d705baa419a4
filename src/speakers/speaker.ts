/**
 * Speakers: one driver per routing daemon behind one interface. `check` and `render` are pure (model in, what the daemon reads out);
 * the other verbs talk to the daemon. The same driver serves the local apply and the node agent.
 *
 *     speaker.ts       the models, and the interface of drivers
 *     provisional.ts   confirm and undo for drivers whose daemon knows neither
 *     renderers.ts     every daemon's pure half, by its name
 *     check.ts, export-policy.ts, config-files.ts, feed-session.ts, owner.ts   what several daemons have alike
 *     limited-peers.ts, bars.ts   peers that the routes are too many for, in daemons with one table for all
 *     builtin/, bird/  a folder per daemon
 */
import type { Family } from '../core/address.ts';
import { type PrefixTable, emptyTable } from '../core/tables/prefix-table.ts';

/** One neighbour of a speaker, as the control plane resolved it (overrides of `policies_json` already applied). */
export interface PeerModel {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly remoteAsn: number;
  readonly localAsn: number;
  /** Address the session is bound to; null: the system chooses. */
  readonly localAddress: string | null;
  readonly families: readonly Family[];
  readonly passive: boolean;
  /** False: whoever calls from this address calls another tenant; absent: the peer's calls are taken. */
  readonly takesCalls?: boolean;
  /** TTL of the session for a peer that is not directly connected; null: directly connected. */
  readonly multihop: number | null;
  readonly password: string | null;
  /** Why the peer can have no session, as the control plane found out before the daemon was asked; absent: nothing. */
  readonly refusal?: string;
  /** Seconds, RFC 4271 section 4.2; 0 or at least 3. */
  readonly holdTime: number;
  readonly nextHopIpv4: string | null;
  readonly nextHopIpv6: string | null;
  /** Labels of the routing table this peer is sent; null: all. */
  readonly labels: readonly string[] | null;
  readonly maxPrefixesOut: number | null;
  readonly gracefulRestart: boolean;
  /** Seconds that the peer keeps the routes while we are away (RFC 4724), at most 4,095; absent: the daemon's default. */
  readonly restartTime?: number;
  /** Seconds beyond that for which it keeps them as stale (RFC 9494); absent: none. */
  readonly staleTime?: number;
  readonly bfd: boolean;
  /** Whether the peer is a BIRD for certain, which takes many routes faster in an order of its own; absent: told by address. */
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
  /** How the routes get into a local BIRD: by files, which is the default, or over a session. Other daemons have one way. */
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
  /** Peers that run other routes than these, where the driver can do so; absent: none. */
  readonly reverted?: readonly RevertedRoutes[];
  /** Peers that these routes are too many for, and what they hold, where the driver can leave no single peer with other routes; absent: none. */
  readonly limited?: readonly LimitedPeer[];
  /** Ids of peers that are kept from routes by bars (bars.ts), which only drivers set; absent: none. */
  readonly barred?: readonly string[];
  /**
   * Set for the empty table of a speaker that nothing was ever applied to: peers are not told that it is complete (no End-of-RIB), so that
   * those that kept routes over a restart (RFC 4724), say from another installation, keep them until the first apply, or until they give up.
   */
  readonly isUnfinished?: true;
  /** Makes the apply provisional: the daemon goes back by itself after this many seconds unless the driver confirms. */
  readonly confirmSeconds?: number;
}

/** What a daemon runs that was never given routes. */
export const EMPTY_ROUTES: RoutesModel = { revisionId: '', table: emptyTable(), labels: {}, noExport: true };

/** Peers that did not bear newer routes, and were put back to what they held before. */
export interface RevertedRoutes {
  readonly peerIds: readonly string[];
  readonly routes: RoutesModel;
}

/** A peer that would be sent more than its limit, and so is sent only what it holds already. */
export interface LimitedPeer {
  readonly peerId: string;
  /** What its speaker ran when it was sent all of it last. */
  readonly held: RoutesModel;
  /** Labels and families that it was sent of that. */
  readonly labels: readonly string[] | null;
  readonly families: readonly Family[];
}

/** The routes, for an apply that nobody has to confirm. */
export function asFinal(routes: RoutesModel): RoutesModel {
  const { revisionId, table, labels, noExport, reverted, limited } = routes;
  return {
    ...{ revisionId, table, labels, noExport },
    ...(reverted === undefined ? {} : { reverted }),
    ...(limited === undefined ? {} : { limited }),
  };
}

export type SessionState = 'idle' | 'connect' | 'active' | 'open_sent' | 'open_confirm' | 'established';

export interface SessionStatus {
  readonly peerId: string;
  readonly state: SessionState;
  /** When the state was entered, RFC 3339. */
  readonly since: string;
  /** Routes the peer has been sent and holds, IPv4 and IPv6 together. */
  readonly routesExported: number;
  readonly routesReceived: number;
  readonly updatesSent: number;
  /** True while the peer has not been sent all that was applied last, where the driver knows. */
  readonly isBehind?: boolean;
  /** What both sides agreed to exchange, where the driver knows; else the families of the peer's model are taken to be. */
  readonly families?: readonly Family[];
  readonly lastError: string | null;
  /** {@link lastError} tells why the session before this one ended: this one is up, and well. */
  readonly isPast?: true;
  /** The NOTIFICATION (RFC 4271 section 4.5) that {@link lastError} tells of, where the driver knows; null: there was none. */
  readonly notification?: SessionNotification | null;
}

/** What a NOTIFICATION said. */
export interface SessionNotification {
  readonly direction: 'received' | 'sent';
  readonly code: number;
  readonly subcode: number;
  /** Of code and subcode, in the registry's words. */
  readonly name: string;
  /** The peer's own words (RFC 9003), or the limit that it told of (RFC 4486); null: none. */
  readonly text: string | null;
}

export interface SpeakerStatus {
  readonly reachable: boolean;
  readonly version: string | null;
  readonly routerId: string | null;
  readonly uptimeSeconds: number | null;
  readonly lastReconfiguredAt: string | null;
  /** The daemon's own, where it has one beside its speakers'. */
  readonly daemonRouterId?: string | null;
  /** Of the speaker, in daemons that have such. */
  readonly protocols?: { readonly total: number; readonly up: number };
  readonly sessions: readonly SessionStatus[];
  readonly error: string | null;
}

/** The status of a speaker whose daemon does not answer, with why. */
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

/** Difference between what the speaker ran before and what it runs now, in routes. */
export interface ApplyOutcome {
  readonly announced: number;
  readonly withdrawn: number;
  readonly changed: number;
}

/** A refusal or failure of a daemon, in words its operator can act on. */
export class SpeakerError extends Error {
  override readonly name = 'SpeakerError';
  readonly code: string;
  /** The words are those of a daemon that all tenants share: they may quote files of the machine, which are not everybody's to read. */
  readonly isOfDaemon: boolean;
  constructor(code: string, message: string, options: ErrorOptions & { readonly isOfDaemon?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.isOfDaemon = options.isOfDaemon === true;
  }
}

/** A daemon of this machine with room for many speakers, which one process at a time may drive. */
export interface SharedDaemon {
  /** Takes it for this process, or keeps it. @returns what is against that, for a person; null: this process has it */
  claim(): Promise<string | null>;
  /** Lets another process have it. What it runs stays. */
  release(): Promise<void>;
  /** Ids of speakers of this service that are in it, whoever brought them there. */
  speakerIds(): Promise<string[]>;
  /** Takes a speaker out of it. */
  removeSpeaker(speakerId: string): Promise<void>;
}

/** A file as the daemon would read it. */
export interface RenderedFile {
  /** Relative to the directory that the daemon reads. */
  readonly path: string;
  /** Holds passwords of sessions where the model does. Made when it is asked for: routes may be many. */
  readonly content: string;
  /** True for a file of nothing but routes. */
  readonly isRoutes: boolean;
}

/** What can be said of a configuration without the daemon. Pure. */
export interface Renderer {
  /** Says why the daemon would refuse `model`, or returns an empty list. */
  check(model: SpeakerModel): readonly string[];
  /** What the daemon would read; empty for an identity that {@link check} refuses. */
  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[];
}

/**
 * What a driver offers whose daemon can't go back by itself: every apply is final. provisional.ts makes a {@link SpeakerDriver} of it.
 * Methods reject with {@link SpeakerError}.
 */
export interface PlainDriver extends Renderer {
  /** True where an apply can leave single peers with other routes ({@link RoutesModel.reverted}). */
  readonly canRevertPeers?: boolean;
  /** Brings identity and peers to `model`; sessions of unchanged peers stay up. */
  configure(model: SpeakerModel): Promise<void>;
  /**
   * Brings the routes to `routes` from wherever the daemon is, sending peers the difference only. Resolves when established peers have
   * been sent it.
   */
  apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome>;
  status(): Promise<SpeakerStatus>;
  /** Has the daemon read its whole configuration again, what others wrote too. One that reads none is compared with what it should have, or this is absent. */
  reload?(): Promise<void>;
  /** Stops the sessions; with `graceful` so that peers keep the routes (RFC 4724), else by Cease. */
  close(graceful: boolean): Promise<void>;
}

/**
 * What drives one speaker. An apply with `routes.confirmSeconds` is provisional: it stays only if {@link confirm} comes in time. Without,
 * it is final. An apply that rejects has left the daemon as it was, or is on its way back there.
 */
export interface SpeakerDriver extends PlainDriver {
  /**
   * Makes a provisional apply stay. Nothing happens where there is none, since the last was final or changed nothing.
   * @throws {SpeakerError} `confirm_timeout` when the daemon has gone back already
   */
  confirm(): Promise<void>;
  /** Takes a provisional apply back at once: the daemon runs what was confirmed last. Nothing happens where there is none. */
  undo(): Promise<void>;
}
