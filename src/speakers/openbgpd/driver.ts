/**
 * The speaker in an OpenBGPD that runs on this machine (7.7 and later): OpenBGPD holds the sessions and the networks; this process writes
 * peers and filters into one file of its configuration, and adds networks with `bgpctl network bulk`. They stay when this process ends.
 *
 *     driver.ts      the SpeakerDriver; status-view.ts its status
 *     daemon.ts      configuration and networks, each brought from the present to the desired state
 *     control.ts, config-file.ts, read-status.ts   bgpctl, the file, and the answers of bgpctl
 *     render.ts      model -> file, with marks.ts, networks.ts, check.ts; all pure
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Family } from '../../core/address.ts';
import {
  unreachable,
  type ApplyOutcome,
  type PlainDriver,
  type RenderedFile,
  type RoutesModel,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { configured, outcomeOfTables } from '../plain-apply.ts';
import { barRoutes, limitPeers, type Brought } from '../limited-peers.ts';
import { checkModel } from './check.ts';
import type { OpenbgpdDaemon } from './daemon.ts';
import { render, tagOf, type Configuration, type RenderedPeer } from './render.ts';
import { openbgpdRenderer } from './renderer.ts';
import { StatusView } from './status-view.ts';
import { never } from '../never.ts';

const LOOK_MILLISECONDS = 100;
/** Until peers have been sent everything; more routes get more time, but at most half of the time to confirm. */
const SEND_MILLISECONDS = 30_000;
const ROUTES_PER_MILLISECOND = 10;

export class OpenbgpdDriver implements PlainDriver {
  readonly #daemon: OpenbgpdDaemon;
  readonly #tag: string;
  readonly #view = new StatusView();
  #model: SpeakerModel | null = null;
  #brought: Brought | null = null;
  #running: Configuration | null = null;
  #returning: Promise<void> | null = null;

  constructor(daemon: OpenbgpdDaemon, speakerId: string) {
    this.#daemon = daemon;
    this.#tag = tagOf(speakerId);
  }

  check(model: SpeakerModel): readonly string[] {
    return checkModel(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return openbgpdRenderer.render(model, routes);
  }

  /** OpenBGPD receives peers with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    this.#model = model;
    if (this.#brought === null) await this.#daemon.state();
    else await this.#bring(model, this.#brought.routes, never);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    const before = this.#brought?.routes ?? null;
    await this.#bring(configured(this.#model), routes, signal);
    return outcomeOfTables(before, routes);
  }

  async status(): Promise<SpeakerStatus> {
    try {
      const state = await this.#daemon.state();
      await this.#remind();
      return this.#view.statusOf(state, this.#running);
    } catch (error) {
      return unreachable(error);
    }
  }

  reload(): Promise<void> {
    return this.#daemon.reload();
  }

  /** Graceful: OpenBGPD continues to announce its networks. Otherwise the speaker's sessions and networks are removed from it. */
  async close(graceful: boolean): Promise<void> {
    await this.#returning;
    if (!graceful) await this.#daemon.remove(this.#tag);
  }

  async #bring(model: SpeakerModel, wanted: RoutesModel, signal: AbortSignal): Promise<void> {
    const limited = limitPeers(model, wanted, this.#brought);
    const routes = barRoutes(model, limited);
    // During the change, filters know the marks of both old and new networks.
    const configuration = render(model, routes, {
      inPlace: await this.#daemon.inPlace(),
      serviceId: this.#daemon.serviceId,
    });
    if (await this.#daemon.configure(configuration))
      await this.#daemon.clear(changedPasswords(this.#running, configuration));
    this.#running = configuration;
    await this.#daemon.announce(routes, signal);
    this.#brought = { routes: limited, peers: model.peers };
    await this.#awaitPeers(configuration, routes, signal);
  }

  /** Waits until peers that are up have been sent everything, with a limit for one that reads slowly or flaps. */
  async #awaitPeers(
    { peers }: Configuration,
    { table, confirmSeconds = Infinity }: RoutesModel,
    signal: AbortSignal,
  ): Promise<void> {
    const timeout = SEND_MILLISECONDS + (table.ipv4.size + table.ipv6.size) / ROUTES_PER_MILLISECOND;
    const deadline = performance.now() + Math.min(timeout, confirmSeconds * 500);
    for (;;) {
      const { neighbors } = await this.#daemon.state();
      const isDone = peers.every((peer) => {
        const neighbor = neighbors.find(({ address }) => address === peer.address);
        return neighbor?.state !== 'established' || neighbor.sent === countOf(peer, neighbor.families);
      });
      if (isDone || performance.now() > deadline) return;
      await sleep(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  /** A restarted OpenBGPD has our peers from its configuration, but needs our networks again. */
  async #remind(): Promise<void> {
    if (this.#returning !== null || !(await this.#daemon.isForgetful())) return;
    this.#returning = this.#daemon
      .remind()
      .catch(() => undefined) // retried by the next status
      .finally(() => (this.#returning = null));
  }
}

/** Number of routes of these families that the peer is to be sent. */
function countOf({ routes }: RenderedPeer, families: readonly Family[]): number {
  return families.reduce((sum, family) => sum + (routes[family] ?? 0), 0);
}

/** OpenBGPD uses a new password only from the next session on. */
function changedPasswords(before: Configuration | null, { peers }: Configuration): string[] {
  return peers.flatMap(({ address, password }) => {
    const old = before?.peers.find((peer) => peer.address === address);
    return address !== null && old !== undefined && old.password !== password ? [address] : [];
  });
}
