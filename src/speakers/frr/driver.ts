/**
 * Speakers in an FRR that runs on this machine (8.4 and later): FRR holds the sessions with the peers, in a separate view for each speaker,
 * and fetches the routes over one session from the builtin speaker (feed-session.ts). Changes of routes are UPDATEs; only a change of peers
 * or their policies changes the configuration, by the difference alone.
 *
 *     driver.ts          one plain driver per speaker, on one FrrDaemon
 *     daemon.ts          what FRR runs, and how it is changed
 *     lock.ts            which process drives it
 *     vty-socket.ts, program.ts   the socket of bgpd, and vtysh, which checks
 *     render.ts          model -> statements, with policy.ts, communities.ts, names.ts, check.ts; all pure
 *     statements.ts, difference.ts   configuration as a list of statements, and the difference of two lists; pure
 *     read-status.ts     what FRR reports about its neighbours
 */
import { isDeepStrictEqual } from 'node:util';
import { SerialQueue } from '../../concurrency/serial-queue.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { FeedSession, feedSpeakerId, type FeedOptions } from '../feed-session.ts';
import { SessionCauses } from '../session-causes.ts';
import {
  SpeakerError,
  unreachable,
  type ApplyOutcome,
  type PlainDriver,
  type RenderedFile,
  type RoutesModel,
  type SessionStatus,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { configured } from '../plain-apply.ts';
import { sessionError } from '../session-fault.ts';
import { refuseIdentity, refusedFamilies } from '../check.ts';
import { barRoutes, limitPeers, withBarsOf, type Brought } from '../limited-peers.ts';
import { checkModel } from './check.ts';
import { withMarks } from './communities.ts';
import type { FrrDaemon, FrrState } from './daemon.ts';
import { speakerTag } from './names.ts';
import type { NeighborStatus } from './read-status.ts';
import type { Configuration, RenderedPeer } from './render.ts';

/** Between repairs of an FRR that lost what it should have. */
const REPAIR_PAUSE_MILLISECONDS = 5_000;

/** Two times of a session this close, in milliseconds, are the same time rounded differently. */
const SAME_MOMENT = 2_000;

interface Moment {
  readonly state: string;
  readonly since: string;
}

export class FrrDriver implements PlainDriver {
  readonly #daemon: FrrDaemon;
  readonly #feed: FeedSession;
  readonly #tag: string;
  #model: SpeakerModel | null = null;
  #brought: Brought | null = null;
  /** {@link #brought} with bars, as FRR has it. */
  #inside: RoutesModel | null = null;
  #running: Configuration | null = null;
  #reconfiguredAt: string | null = null;
  readonly #turns = new SerialQueue();
  #busy = 0;
  #repairedAt = -Infinity;
  #repairFailure: string | null = null;
  #calledAt = -Infinity;
  readonly #seen = new Map<string, Moment>();
  readonly #causes = new SessionCauses();
  readonly #closing = new AbortController();

  /** @param feedDriver creates a builtin driver from its speaker's id */
  constructor(
    daemon: FrrDaemon,
    speakerId: string,
    feedDriver: (id: string) => PlainDriver,
    feed: Pick<FeedOptions, 'restartTime'> = {},
  ) {
    this.#daemon = daemon;
    this.#tag = speakerTag(speakerId);
    this.#feed = new FeedSession({
      ...{ driver: feedDriver(feedSpeakerId(speakerId)), speakerId, daemon: null, dummyNextHops: true },
      ...feed,
    });
  }

  check(model: SpeakerModel): readonly string[] {
    return checkModel(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return this.#daemon.renderer.render(model, routes);
  }

  /** FRR receives peers with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    this.#model = model;
    // The caller reads all routes next, which is wasted on an FRR that is down.
    if (this.#brought === null) await this.#daemon.state(this.#tag);
    else await this.#deploy(model, this.#brought.routes, this.#closing.signal);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    return this.#deploy(configured(this.#model), routes, AbortSignal.any([signal, this.#closing.signal]));
  }

  async status(): Promise<SpeakerStatus> {
    try {
      const state = await this.#daemon.state(this.#tag);
      const isWatched = state.neighbors?.some(({ bfd }) => bfd !== null) === true;
      const hasBfd = !isWatched || (await this.#daemon.hasBfd());
      return this.#statusOf(state, hasBfd, this.#repair(state) ?? this.#hunger(state));
    } catch (error) {
      return unreachable(error);
    }
  }

  /** Corrects what others changed of ours. FRR's file is read when FRR starts, or by `vtysh -b`, which would change more than that. */
  async reload(): Promise<void> {
    const [model, routes] = [this.#model, this.#brought?.routes ?? null];
    if (model === null || routes === null) await this.#daemon.state(this.#tag);
    else await this.#deploy(model, routes, this.#closing.signal);
  }

  /** Graceful: FRR continues to announce the routes for as long as it may keep them. Otherwise the speaker is removed from it. */
  async close(graceful: boolean): Promise<void> {
    this.#closing.abort();
    await this.#turns.idle();
    try {
      if (!graceful) await this.#daemon.remove(this.#tag);
    } finally {
      await this.#feed.close(graceful);
    }
  }

  #deploy(model: SpeakerModel, wanted: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    return this.#inTurn(async () => {
      signal.throwIfAborted();
      const refusal = refuseIdentity(model);
      if (refusal !== null) throw new SpeakerError('config_refused', refusal);
      const limited = limitPeers(model, wanted, this.#brought);
      const routes = barRoutes(model, limited);
      const configuration = this.#daemon.render(model, routes);
      const { neighbors } = await this.#daemon.state(this.#tag); // first: no work for an FRR that is down
      await this.#refuseUnwatched(model);
      const feed = neighbors?.find(({ address }) => address === configuration.feedAddress);
      // New peers are added only when FRR has routes to send them.
      const isFilled = sum(configuration.routes) === 0 || (feed !== undefined && sum(feed.received) > 0);
      // During the change, the filters know the next hops and bars of both the old and the new routes.
      const old = this.#inside;
      const isWider =
        Object.keys(old?.labels ?? {}).some((label) => !(label in routes.labels)) ||
        old?.barred !== undefined;
      const both = withBarsOf({ ...routes, labels: { ...old?.labels, ...routes.labels } }, old);
      const wide = isWider ? this.#daemon.render(model, both) : configuration;
      await this.#feed.configure(model.localAsn);
      await this.#change(wide, isFilled);
      if (feed !== undefined && feed.state !== 'established')
        await this.#daemon.callFeed(this.#tag, configuration.feedAddress);
      const outcome = await this.#feed.apply(withMarks(routes), signal);
      await this.#daemon.received(configuration, signal);
      if (!isFilled || !isDeepStrictEqual(wide.statements, configuration.statements))
        await this.#change(configuration, true);
      this.#running = configuration;
      this.#brought = { routes: limited, peers: model.peers };
      this.#inside = routes;
      await this.#daemon.sent(configuration, routes.confirmSeconds, signal);
      return outcome;
    });
  }

  async #change(configuration: Configuration, withNewPeers: boolean): Promise<void> {
    if (await this.#daemon.change(configuration, withNewPeers))
      this.#reconfiguredAt = new Date().toISOString();
  }

  async #refuseUnwatched({ peers }: SpeakerModel): Promise<void> {
    if (!peers.some(({ bfd }) => bfd) || (await this.#daemon.hasBfd())) return;
    throw new SpeakerError(
      'bfd_missing',
      'a peer asks for BFD and FRR runs no bfdd: set  bfdd=yes  in /etc/frr/daemons, or set bfd of the peer to false',
    );
  }

  /** FRR saves only what its operator saves: after its restart everything is restored. @returns what is missing, for a person */
  #repair({ neighbors }: FrrState): string | null {
    const [model, routes] = [this.#model, this.#brought?.routes ?? null];
    if (this.#running === null || model === null || routes === null || this.#busy > 0) return null;
    const there = new Set(neighbors?.map(({ address }) => address));
    const isThere = ({ address }: RenderedPeer): boolean => address === null || there.has(address);
    if (there.has(this.#running.feedAddress) && this.#running.peers.every(isThere)) {
      this.#repairFailure = null;
      return null;
    }
    if (performance.now() - this.#repairedAt > REPAIR_PAUSE_MILLISECONDS) {
      this.#repairedAt = performance.now();
      this.#deploy(model, routes, this.#closing.signal).then(
        () => (this.#repairFailure = null),
        (error: unknown) => (this.#repairFailure = error instanceof Error ? error.message : String(error)),
      );
    }
    const failure = this.#repairFailure === null ? '' : ` (so far in vain: ${this.#repairFailure})`;
    return `FRR was restarted or changed by others, and lacks neighbours of the speaker; they are being brought back${failure}`;
  }

  /** Why FRR does not fetch the routes, which is noticed before any peer's routes change. */
  #hunger({ neighbors }: FrrState): string | null {
    if (this.#running === null || this.#busy > 0) return null;
    const feed = neighbors?.find(({ address }) => address === this.#running!.feedAddress);
    if (feed === undefined || feed.state === 'established') return null;
    if (performance.now() - this.#calledAt > REPAIR_PAUSE_MILLISECONDS) {
      this.#calledAt = performance.now();
      this.#daemon.callFeed(this.#tag, feed.address).catch(() => undefined); // retried by a later status
    }
    const why = feed.lastError === null ? '' : ` (${feed.lastError})`;
    return `FRR does not fetch the routes: its session to this service at ${feed.address} is ${feed.state}${why}. It keeps those that it has; see that nothing between them keeps FRR from APP_BGP_LISTEN`;
  }

  #statusOf({ version, neighbors }: FrrState, hasBfd: boolean, error: string | null): SpeakerStatus {
    const of = ({ address }: RenderedPeer): NeighborStatus | undefined =>
      neighbors?.find((neighbor) => neighbor.address === address);
    return {
      ...{ reachable: true, version, routerId: this.#model?.routerId ?? null, uptimeSeconds: null },
      lastReconfiguredAt: this.#reconfiguredAt,
      sessions: this.#running?.peers.map((peer) => this.#sessionOf(peer, of(peer), hasBfd)) ?? [],
      error,
    };
  }

  #sessionOf(peer: RenderedPeer, status: NeighborStatus | undefined, hasBfd: boolean): SessionStatus {
    const state = status?.state ?? 'idle';
    const isUp = state === 'established';
    const { peerId } = peer;
    const since = this.#since(peerId, state, status?.establishedAt ?? null);
    const { lastError: error = null, notification = null } = status ?? {};
    const cause = this.#causes.look({ peerId, state, since, error, notification });
    return {
      ...{ peerId, state, since, ...cause },
      routesExported: isUp ? status!.families.reduce((total, family) => total + status!.sent[family], 0) : 0,
      routesReceived: status === undefined ? 0 : sum(status.received),
      updatesSent: status?.updatesSent ?? 0,
      ...(isUp ? { families: status!.families } : {}),
      ...sessionError(
        state,
        peer.problem ?? notAgreed(peer, status) ?? unwatched(status, hasBfd),
        cause.lastError,
      ),
    };
  }

  /** FRR reports when a session came up, rounded up or down, but not when it went down: then the first status that shows it counts. */
  #since(peerId: string, state: string, established: string | null): string {
    const known = this.#seen.get(peerId);
    const isSame =
      established === null ||
      Math.abs(Date.parse(established) - Date.parse(known?.since ?? '')) < SAME_MOMENT;
    if (known?.state === state && isSame) return known.since;
    const since = established ?? new Date().toISOString();
    this.#seen.set(peerId, { state, since });
    return since;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    return this.#turns.run(() => work().finally(() => this.#busy--));
  }
}

function notAgreed({ routes }: RenderedPeer, status: NeighborStatus | undefined): string | null {
  if (status?.state !== 'established') return null;
  return refusedFamilies(
    FAMILIES.filter((family) => routes[family] > 0 && !status.families.includes(family)),
  );
}

/** What to do about a session that is up while its BFD is not: an outage then lasts until the hold time is over. */
function unwatched(status: NeighborStatus | undefined, hasBfd: boolean): string | null {
  if (status?.state !== 'established' || status.bfd === null) return null;
  if (!hasBfd) return 'nothing watches the session: FRR was started without bfdd, or that ended; start it';
  if (status.bfd === 'Up') return null;
  return `BFD with the peer is ${status.bfd.toLowerCase()}: configure it there too, or set bfd to false here`;
}

function sum({ ipv4, ipv6 }: Readonly<Record<Family, number>>): number {
  return ipv4 + ipv6;
}
