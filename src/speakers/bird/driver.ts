/**
 * Speakers in a BIRD that runs on this machine (2.0.12 and later, 3): BIRD holds the sessions; this process gives it routes and peers, the
 * latter in files in one directory of its configuration.
 *
 *     driver.ts             one SpeakerDriver per speaker, on one BirdDaemon; routes are delivered in one of two ways:
 *     static-driver.ts      in files as well
 *     feed-driver.ts        over a session, with render-feed.ts and ../feed-session.ts
 *     daemon.ts, pending-commit.ts   a new configuration as a transaction: check, try, verify, confirm or undo
 *     control-socket.ts, program.ts, config-directory.ts, directory-lock.ts   BIRD's socket, program and files
 *     renderer.ts, render.ts   model -> files, with route-groups.ts, policy.ts, communities.ts, names.ts, check.ts; all pure
 *     read-status.ts, verify.ts, watch.ts, status-view.ts   BIRD's answers -> what is wrong, and what is shown
 *     preconditions.ts, failures.ts   what is not tried, or not yet
 */
import { FeedSession, feedSpeakerId } from '../feed-session.ts';
import { limitPeers } from '../limited-peers.ts';
import { ProvisionalDriver } from '../provisional.ts';
import {
  asFinal,
  type ApplyOutcome,
  type PeerModel,
  type PlainDriver,
  type RenderedFile,
  type RoutesModel,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import type { BirdDaemon } from './daemon.ts';
import { FeedDriver } from './feed-driver.ts';
import { StaticDriver } from './static-driver.ts';
import { never } from '../never.ts';

type Way = NonNullable<SpeakerModel['birdRoutes']>;

/** A way to deliver routes, and how to leave it for the other one without a change in BIRD. */
interface Chosen {
  readonly way: Way;
  readonly driver: SpeakerDriver;
  readonly release: () => Promise<void>;
}

export class BirdDriver implements SpeakerDriver {
  readonly #daemon: BirdDaemon;
  readonly #speakerId: string;
  readonly #feedDriver: (id: string) => PlainDriver;
  #chosen: Chosen;
  /** The other way, while switching to it fails: the chosen one stays until the other has delivered all routes. */
  #coming: Chosen | null = null;
  /** The routes that were last applied permanently, for the other way to start with. */
  #routes: RoutesModel | null = null;
  #unconfirmed: RoutesModel | null = null;
  /** Peers of the last `configure`. */
  #peers: readonly PeerModel[] = [];

  /** @param feedDriver creates a builtin driver from its speaker's id */
  constructor(daemon: BirdDaemon, speakerId: string, feedDriver: (id: string) => PlainDriver) {
    this.#daemon = daemon;
    this.#speakerId = speakerId;
    this.#feedDriver = feedDriver;
    this.#chosen = this.#choose('static');
  }

  async configure(model: SpeakerModel): Promise<void> {
    const { birdRoutes: way = 'static' } = model;
    if (way === this.#chosen.way) {
      await this.#giveUpComing();
      await this.#chosen.driver.configure(model);
      this.#peers = model.peers;
      return;
    }
    await this.undo();
    // One instance for all attempts: it knows what failed, and when to retry.
    const next = (this.#coming ??= this.#choose(way));
    await next.driver.configure(model);
    const brought = this.#routes === null ? null : { routes: this.#routes, peers: this.#peers };
    if (brought !== null) await next.driver.apply(limitPeers(model, brought.routes, brought), never);
    this.#peers = model.peers;
    const last = this.#chosen;
    this.#chosen = next;
    this.#coming = null;
    await last.release();
  }

  check(model: SpeakerModel): readonly string[] {
    return this.#chosen.driver.check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return this.#chosen.driver.render(model, routes);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    this.#unconfirmed = null;
    const outcome = await this.#chosen.driver.apply(routes, signal);
    if (routes.confirmSeconds === undefined) this.#routes = routes;
    else this.#unconfirmed = asFinal(routes);
    return outcome;
  }

  async confirm(): Promise<void> {
    const routes = this.#unconfirmed;
    this.#unconfirmed = null;
    await this.#chosen.driver.confirm();
    if (routes !== null) this.#routes = routes;
  }

  undo(): Promise<void> {
    this.#unconfirmed = null;
    return this.#chosen.driver.undo();
  }

  status(): Promise<SpeakerStatus> {
    return this.#chosen.driver.status();
  }

  reload(): Promise<void> {
    return this.#daemon.reload();
  }

  async close(graceful: boolean): Promise<void> {
    try {
      await this.#giveUpComing();
    } finally {
      await this.#chosen.driver.close(graceful);
    }
  }

  async #giveUpComing(): Promise<void> {
    const coming = this.#coming;
    this.#coming = null;
    await coming?.release();
  }

  #choose(way: Way): Chosen {
    const [daemon, speakerId] = [this.#daemon, this.#speakerId];
    if (way === 'static') {
      const driver = new StaticDriver(daemon, speakerId);
      return { way, driver, release: () => Promise.resolve() };
    }
    const feedDriver = this.#feedDriver(feedSpeakerId(speakerId));
    const feed = new FeedSession({ driver: feedDriver, speakerId, daemon: daemon.feed, isBird: true });
    const driver = new ProvisionalDriver(new FeedDriver(daemon, feed, speakerId));
    return { way, driver, release: () => driver.close(true) };
  }
}
