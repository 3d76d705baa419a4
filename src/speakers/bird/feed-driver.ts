/**
 * Delivers routes over a session (feed-session.ts), while BIRD's configuration holds the peers. A change of routes changes the
 * configuration only if it adds or removes communities with next hops of their own, which are part of the filters.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedSession } from '../feed-session.ts';
import { barRoutes, limitPeers, withBarsOf, type Brought } from '../limited-peers.ts';
import {
  SpeakerError,
  asFinal,
  unreachable,
  type ApplyOutcome,
  type PlainDriver,
  type RenderedFile,
  type RoutesModel,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { configured, outcomeOfTables } from '../plain-apply.ts';
import type { BirdDaemon } from './daemon.ts';
import { Failures } from './failures.ts';
import { feedName, speakerTag } from './config/names.ts';
import { refuseUnknown, requireBfd } from './preconditions.ts';
import { BIRD_FEED_ASN } from './config/render-feed.ts';
import type { Configuration } from './config/render.ts';
import { birdRenderer } from './renderer.ts';
import { StatusView } from './status/status-view.ts';
import { isOnlyFed, withoutFeed, withoutNumbers } from './status/verify.ts';

const LOOK_MILLISECONDS = 100;
/** Looks without new routes from the feed after which BIRD counts as having read all of it. */
const QUIET_LOOKS = 3;
/** Enough for BIRD to read a million routes many times over. */
const READING_MILLISECONDS = 60_000;

export class FeedDriver implements PlainDriver {
  readonly #daemon: BirdDaemon;
  readonly #feed: FeedSession;
  readonly #tag: string;
  #model: SpeakerModel | null = null;
  #brought: Brought | null = null;
  /** {@link #brought} with bars, as BIRD has it. */
  #inside: RoutesModel | null = null;
  #running: Configuration | null = null;
  #deploying = 0;
  readonly #failures = new Failures();
  readonly #view = new StatusView();
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(daemon: BirdDaemon, feed: FeedSession, speakerId: string) {
    this.#daemon = daemon;
    this.#feed = feed;
    this.#tag = speakerTag(speakerId);
  }

  /** BIRD receives the peers with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    this.#model = model;
    if (this.#brought === null) await this.#daemon.state(this.#tag);
    else await this.#bring(model, this.#brought.routes, this.#closing.signal, true);
  }

  check(model: SpeakerModel): readonly string[] {
    return birdRenderer().check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return this.#daemon.renderer.render(model, routes);
  }

  async apply(wanted: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    const model = configured(this.#model);
    const before = this.#brought?.routes ?? null;
    const routes = asFinal(wanted);
    const until = AbortSignal.any([signal, this.#closing.signal]);
    await this.#bring(model, routes, until, before === null);
    return outcomeOfTables(before, routes);
  }

  async status(): Promise<SpeakerStatus> {
    try {
      const state = await this.#daemon.state(this.#tag);
      const isDeploying = this.#deploying > 0;
      const status = this.#view.statusOf(state, { model: this.#model, running: this.#running, isDeploying });
      const fault = this.#running === null || isDeploying ? null : await this.#feedFault();
      return { ...status, error: status.error ?? fault };
    } catch (error) {
      return unreachable(error);
    }
  }

  /** Graceful: BIRD continues to announce the routes that it received. Otherwise the speaker's sessions and routes are removed from it. */
  async close(graceful: boolean): Promise<void> {
    this.#closing.abort();
    await this.#last; // a pending apply would bring the speaker back
    try {
      if (!graceful) await this.#daemon.remove(this.#tag);
    } finally {
      await this.#feed.close(graceful);
    }
  }

  async #bring(
    model: SpeakerModel,
    asked: RoutesModel,
    signal: AbortSignal,
    byItself: boolean,
  ): Promise<void> {
    refuseUnknown(model);
    const limited = limitPeers(model, asked, this.#brought);
    const routes = barRoutes(model, limited);
    const wanted = this.#daemon.render(model, routes, 'feed');
    if (byItself) this.#failures.throwIfTooEarly(wanted.hash);
    this.#deploying++;
    const work = this.#carryOut(model, routes, wanted, signal);
    this.#last = work.catch(() => undefined);
    try {
      await work;
      this.#brought = { routes: limited, peers: model.peers };
      this.#inside = routes;
      this.#running = wanted;
      this.#failures.clear();
    } catch (error) {
      this.#failures.note(wanted.hash, error);
      throw error;
    } finally {
      this.#deploying--;
    }
  }

  async #carryOut(
    model: SpeakerModel,
    routes: RoutesModel,
    wanted: Configuration,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const way = await this.#makeWay(model, routes, signal);
    await this.#feed.configure(BIRD_FEED_ASN);
    await this.#feed.apply(routes, signal);
    // BIRD may need long for what it was sent: files and old filters stay until it is done.
    if (way.hash !== wanted.hash) {
      await this.#daemon.verify(way, signal);
      await this.#untilRead(signal);
    }
    await this.#daemon.deploy(withoutNumbers(wanted), signal);
    await this.#daemon.verify(wanted, signal);
  }

  /**
   * Waits until BIRD has read what the session sends: the counts alone don't show it where routes replace as many others. Looks are counted
   * rather than time: a BIRD that has answered has also served the session.
   */
  async #untilRead(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READING_MILLISECONDS;
    let last = '';
    for (let quietLooks = 0; quietLooks < QUIET_LOOKS && performance.now() < deadline;) {
      await sleep(LOOK_MILLISECONDS, undefined, { signal });
      const now = await this.#received();
      quietLooks = now !== null && now === last ? quietLooks + 1 : 0;
      last = now ?? '';
    }
  }

  /** How much BIRD has received over the injection session; null: it is too busy to answer. */
  async #received(): Promise<string | null> {
    try {
      const { protocols } = await this.#daemon.state(this.#tag);
      const feed = protocols.find(({ name }) => name === feedName(this.#tag));
      return `${feed?.received} ${feed?.withdrawn}`;
    } catch (error) {
      if (error instanceof SpeakerError && error.code === 'speaker_unreachable') return null;
      throw error;
    }
  }

  /** Prepares BIRD for the routes before they are sent, without a time in which it has none. @returns what it runs meanwhile */
  async #makeWay(model: SpeakerModel, routes: RoutesModel, signal: AbortSignal): Promise<Configuration> {
    const daemon = this.#daemon;
    const state = await daemon.state(this.#tag); // first: no work for a BIRD that is down
    await requireBfd(model, daemon);
    // Files deliver all routes at once, so that no peer receives a table that is still being filled.
    if (!isOnlyFed(state, this.#tag)) {
      const both = daemon.render(model, routes, 'both');
      await daemon.deploy(withoutFeed(both), signal);
      return both;
    }
    // During the change, the filters know the next hops and bars of both the old and the new routes.
    const labels = { ...this.#inside?.labels, ...routes.labels };
    const wide = daemon.render(model, withBarsOf({ ...routes, labels }, this.#inside), 'feed');
    await daemon.deploy(withoutNumbers(wide), signal);
    return wide;
  }

  async #feedFault(): Promise<string | null> {
    const session = await this.#feed.status();
    if (session?.state === 'established') return null;
    const { address, port } = this.#daemon.feed;
    const error = session?.lastError ?? null;
    const why = error === null ? '' : ` (${error})`;
    return `the session that brings BIRD its routes, at ${address} port ${port}, is ${session?.state ?? 'not there'}${why}: BIRD goes on with the routes that it has`;
  }
}
