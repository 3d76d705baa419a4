/**
 * Speakers in a GoBGP 3 that runs on this machine, over its gRPC API: GoBGP holds the sessions and routes, and loses both when it ends;
 * then this process restores them.
 *
 *     driver.ts         the PlainDriver of the one speaker that a GoBGP holds
 *     daemon.ts         brings GoBGP to a model and routes, from wherever it is
 *     api.ts, channel.ts, api.proto, messages.ts   GoBGP's API
 *     configuration.ts  model -> peers and policies, with peers.ts, policy.ts, communities.ts, names.ts, check.ts; all pure
 *     policies.ts, narrowing.ts   those policies in GoBGP, in front of others; what a peer loses by them
 *     routes.ts, path-encoder.ts, path-reader.ts   routes to and from GoBGP
 *     session-status.ts, advertised.ts  what GoBGP says of sessions
 *     renderer.ts, render-toml.ts   the same configuration as a file, to look at
 */
import { RouteCounts, exportPolicies } from '../export-policy.ts';
import {
  SpeakerError,
  unreachable,
  type ApplyOutcome,
  type PlainDriver,
  type RenderedFile,
  type RoutesModel,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { configured, outcomeOfTables } from '../plain-apply.ts';
import { AdvertisedCounts, type ExpectedCounts } from './advertised.ts';
import { refuseIdentity } from '../check.ts';
import type { Configuration } from './configuration.ts';
import type { GobgpDaemon, GobgpState } from './daemon.ts';
import { barRoutes, limitPeers, type Brought } from '../limited-peers.ts';
import { markOf, speakerTag } from './names.ts';
import { isAssigned } from './policies.ts';
import { gobgpRenderer } from './renderer.ts';
import { sessionStatus } from './session-status.ts';
import { never } from '../never.ts';

/** Until a failed restoration is retried. */
const RESTORE_PAUSE_MILLISECONDS = 5_000;

export class GobgpDriver implements PlainDriver {
  readonly #daemon: GobgpDaemon;
  readonly #speakerId: string;
  readonly #advertised: AdvertisedCounts;
  #model: SpeakerModel | null = null;
  #brought: Brought | null = null;
  #running: Configuration | null = null;
  #reconfiguredAt: string | null = null;
  #deploying = 0;
  /** When GoBGP was last restored, on a monotonic clock. */
  #restored = -Infinity;

  constructor(daemon: GobgpDaemon, speakerId: string) {
    this.#daemon = daemon;
    this.#speakerId = speakerId;
    this.#advertised = new AdvertisedCounts(daemon.api);
  }

  check(model: SpeakerModel): readonly string[] {
    return gobgpRenderer.check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return gobgpRenderer.render(model, routes);
  }

  /** Peers and identity; GoBGP receives them with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    this.#model = model;
    // The caller reads all routes next, which is wasted on a GoBGP that is down.
    if (this.#brought === null) await this.#daemon.state();
    else await this.#deploy(model, this.#brought.routes, never);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    const before = this.#brought?.routes ?? null;
    await this.#deploy(configured(this.#model), routes, signal);
    return outcomeOfTables(before, routes);
  }

  async status(): Promise<SpeakerStatus> {
    try {
      return await this.#statusOf(await this.#daemon.state());
    } catch (error) {
      return unreachable(error);
    }
  }

  /** Reads GoBGP's configuration back and corrects it. GoBGP reads its own file on a signal, which the API cannot send. */
  async reload(): Promise<void> {
    await this.#daemon.forget();
    const [model, routes] = [this.#model, this.#brought?.routes ?? null];
    if (model === null || routes === null) await this.#daemon.state();
    else await this.#deploy(model, routes, never);
  }

  /** Graceful: GoBGP continues to announce its routes. Otherwise the speaker's sessions and routes are removed from it. */
  async close(graceful: boolean): Promise<void> {
    const tag = speakerTag(this.#speakerId);
    this.#model = null;
    this.#running = null;
    try {
      if (!graceful) await this.#daemon.remove(tag, markOf(tag));
    } finally {
      this.#daemon.api.close();
    }
  }

  async #deploy(model: SpeakerModel, wanted: RoutesModel, signal: AbortSignal): Promise<void> {
    const refusal = refuseIdentity(model);
    if (refusal !== null) throw new SpeakerError('config_refused', refusal);
    const limited = limitPeers(model, wanted, this.#brought);
    const routes = barRoutes(model, limited);
    const counts = routesByPeer(model, routes);
    this.#deploying++;
    try {
      this.#running = await this.#daemon.deploy(model, routes, signal);
      this.#brought = { routes: limited, peers: model.peers };
      this.#reconfiguredAt = new Date().toISOString();
      this.#advertised.expect(byAddress(this.#running, counts));
    } catch (error) {
      this.#advertised.expect(new Map());
      throw error;
    } finally {
      this.#deploying--;
    }
  }

  async #statusOf(state: GobgpState): Promise<SpeakerStatus> {
    const running = this.#running;
    const lost = running !== null && this.#deploying === 0 && isLost(running, state);
    if (lost) this.#restore();
    const listed = new Map(state.peers.map((peer) => [peer.conf.description, peer]));
    const sessions = (running?.peers ?? []).map(async ({ peerId, message, problem }) => {
      const peer = message === null ? undefined : listed.get(message.conf.description);
      const advertised = peer === undefined ? 0 : await this.#advertised.of(peer);
      return sessionStatus(peerId, peer, advertised, problem, this.#reconfiguredAt!);
    });
    return {
      reachable: true,
      // The API reports neither GoBGP's version nor its start.
      version: 'GoBGP',
      routerId: state.global.asn === 0 ? null : state.global.routerId,
      uptimeSeconds: null,
      lastReconfiguredAt: this.#reconfiguredAt,
      sessions: await Promise.all(sessions),
      error: lost
        ? 'GoBGP has lost its configuration, for example by a restart: the service sends it again'
        : null,
    };
  }

  /** Not awaited: sending a million routes takes longer than a status request may wait. */
  #restore(): void {
    const [model, routes] = [this.#model, this.#brought?.routes ?? null];
    if (model === null || routes === null || performance.now() - this.#restored < RESTORE_PAUSE_MILLISECONDS)
      return;
    this.#restored = performance.now();
    // The status shows why it fails.
    this.#deploy(model, routes, never).catch(() => undefined);
  }
}

function isLost(running: Configuration, { peers, assignments }: GobgpState): boolean {
  const descriptions = new Set(peers.map(({ conf }) => conf.description));
  const hasPeers = running.peers.every(
    ({ message }) => message === null || descriptions.has(message.conf.description),
  );
  return !hasPeers || !isAssigned(assignments, running);
}

/** How many routes each peer is to be sent, by its id. */
function routesByPeer(model: SpeakerModel, routes: RoutesModel): ReadonlyMap<string, number> {
  const counts = new RouteCounts(routes);
  return new Map(
    model.peers.map((peer) => [
      peer.id,
      exportPolicies(model, peer, routes).reduce((sum, policy) => sum + counts.exportedBy(policy), 0),
    ]),
  );
}

function byAddress({ peers }: Configuration, counts: ReadonlyMap<string, number>): ExpectedCounts {
  return new Map(
    peers.flatMap(({ peerId, message }) =>
      message === null ? [] : [[message.conf.neighborAddress, counts.get(peerId) ?? 0]],
    ),
  );
}
