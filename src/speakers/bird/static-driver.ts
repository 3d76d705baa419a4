/** Delivers routes in files: every change of them is a configuration that BIRD reads. */
import {
  unreachable,
  type ApplyOutcome,
  type RenderedFile,
  type RoutesModel,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { configured, outcomeOfTables } from '../plain-apply.ts';
import { barRoutes, limitPeers, type Brought } from '../limited-peers.ts';
import type { BirdDaemon } from './daemon.ts';
import { Failures } from './failures.ts';
import { speakerTag } from './config/names.ts';
import { refuseUnknown, requireBfd } from './preconditions.ts';
import type { Configuration } from './config/render.ts';
import { birdRenderer } from './renderer.ts';
import { StatusView } from './status/status-view.ts';
import type { PendingCommit } from './process/pending-commit.ts';
import { isFed, withoutFeed } from './status/verify.ts';
import { never } from '../never.ts';

/** The state of BIRD as the driver knows it. */
interface Held {
  readonly brought: Brought | null;
  readonly running: Configuration | null;
}

interface ProvisionalApply {
  readonly pending: PendingCommit;
  readonly before: Held;
}

export class StaticDriver implements SpeakerDriver {
  readonly #daemon: BirdDaemon;
  readonly #tag: string;
  #model: SpeakerModel | null = null;
  #held: Held = { brought: null, running: null };
  #provisional: ProvisionalApply | null = null;
  #deploying = 0;
  readonly #failures = new Failures();
  readonly #view = new StatusView();

  constructor(daemon: BirdDaemon, speakerId: string) {
    this.#daemon = daemon;
    this.#tag = speakerTag(speakerId);
  }

  /** Peers and identity; BIRD receives them with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    await this.undo();
    this.#model = model;
    // The caller reads all routes next, which is wasted on a BIRD that is down.
    const { brought } = this.#held;
    if (brought === null) await this.#daemon.state(this.#tag);
    else await this.#deploy(model, brought.routes, never, { byItself: true, provisional: false });
  }

  check(model: SpeakerModel): readonly string[] {
    return birdRenderer().check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return this.#daemon.renderer.render(model, routes);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    const model = configured(this.#model);
    await this.undo();
    const before = this.#held.brought?.routes ?? null;
    // The first routes after a start are a restoration; later applies are requested by somebody.
    const provisional = routes.confirmSeconds !== undefined;
    await this.#deploy(model, routes, signal, { byItself: before === null, provisional });
    return outcomeOfTables(before, routes);
  }

  async confirm(): Promise<void> {
    const taken = this.#takeProvisional();
    try {
      await taken?.pending.confirm();
    } catch (error) {
      if (taken !== null) this.#held = taken.before;
      throw error;
    }
  }

  async undo(): Promise<void> {
    const taken = this.#takeProvisional();
    if (taken === null) return;
    this.#held = taken.before;
    await taken.pending.undo();
  }

  #takeProvisional(): ProvisionalApply | null {
    const taken = this.#provisional;
    this.#provisional = null;
    return taken;
  }

  async status(): Promise<SpeakerStatus> {
    try {
      const state = await this.#daemon.state(this.#tag);
      const { running } = this.#held;
      return this.#view.statusOf(state, { model: this.#model, running, isDeploying: this.#deploying > 0 });
    } catch (error) {
      return unreachable(error);
    }
  }

  /** Graceful: BIRD continues to announce its routes. Otherwise the speaker's sessions and routes are removed from it. */
  async close(graceful: boolean): Promise<void> {
    await this.undo();
    if (!graceful) await this.#daemon.remove(this.#tag);
  }

  async #deploy(
    model: SpeakerModel,
    wanted: RoutesModel,
    signal: AbortSignal,
    { byItself, provisional }: { readonly byItself: boolean; readonly provisional: boolean },
  ): Promise<void> {
    refuseUnknown(model);
    const limited = limitPeers(model, wanted, this.#held.brought);
    const routes = barRoutes(model, limited);
    const configuration = this.#daemon.render(model, routes, 'static');
    if (byItself) this.#failures.throwIfTooEarly(configuration.hash);
    this.#deploying++;
    try {
      await requireBfd(model, this.#daemon);
      await this.#leaveFeed(model, routes, signal);
      const pending = await this.#daemon.tryOut(configuration, signal, routes.confirmSeconds);
      if (!provisional) await pending?.confirm();
      else if (pending !== null) this.#provisional = { pending, before: this.#held };
      this.#held = { brought: { routes: limited, peers: model.peers }, running: configuration };
      this.#failures.clear();
    } catch (error) {
      this.#failures.note(configuration.hash, error);
      throw error;
    } finally {
      this.#deploying--;
    }
  }

  /** A BIRD that received its routes over the feed has the files beside it for a moment, so that peers miss no route. */
  async #leaveFeed(model: SpeakerModel, routes: RoutesModel, signal: AbortSignal): Promise<void> {
    if (!isFed(await this.#daemon.state(this.#tag), this.#tag)) return;
    const both = this.#daemon.render(model, routes, 'both');
    await this.#daemon.deploy(withoutFeed(both), signal);
  }
}
