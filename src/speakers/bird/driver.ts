/**
 * Speakers in a BIRD that runs on this machine (2.0.12 and later, 3): BIRD holds the sessions, this process writes its routes and
 * peers into one directory of its configuration.
 *
 *     driver.ts             one SpeakerDriver per speaker, on one BirdDaemon
 *     daemon.ts, trial.ts   the apply as a transaction: check, try, verify, confirm or undo
 *     control-socket.ts, program.ts, config-directory.ts   BIRD's socket, program and files
 *     renderer.ts, render.ts   model -> files, with route-groups.ts, policy.ts, communities.ts, names.ts, check.ts; all pure
 *     read-status.ts, verify.ts   what BIRD says -> what is wrong
 */
import { diffTables } from '../../core/diff.ts';
import { emptyTable } from '../../core/prefix-table.ts';
import {
  SpeakerError,
  unreachable,
  type ApplyOutcome,
  type RenderedFile,
  type RoutesModel,
  type SessionStatus,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { refuseIdentity } from './check.ts';
import type { BirdDaemon, BirdState } from './daemon.ts';
import { speakerTag } from './names.ts';
import type { Configuration } from './render.ts';
import { birdRenderer } from './renderer.ts';
import type { ProtocolStatus } from './read-status.ts';
import type { BirdTrial } from './trial.ts';
import { markOf } from './verify.ts';

/** A configuration that failed is not tried again by itself before, in milliseconds. */
const PAUSE = 5_000;
/** One that BIRD took back has moved the routes of peers to and fro: longer, and twice as long after each failure. */
const FIRST_LONG_PAUSE = 15_000;
const LONGEST_PAUSE = 600_000;
const TAKEN_BACK: readonly string[] = ['verification_failed', 'confirm_timeout'];

/** No session comes back sooner, in milliseconds. */
const SAME_MOMENT = 1_000;

/** When a state was entered: by BIRD's clock where it says so, and by ours. */
interface Moment {
  readonly state: string;
  readonly time: number | null;
  readonly since: string;
}

/** A failure that will come again until something changes. */
interface Failure {
  readonly hash: string;
  readonly error: SpeakerError;
  readonly pause: number;
  readonly until: number;
}

/** What the driver holds to be true of BIRD. */
interface Held {
  readonly routes: RoutesModel | null;
  readonly running: Configuration | null;
}

interface Trial {
  readonly trial: BirdTrial;
  readonly before: Held;
}

export class BirdDriver implements SpeakerDriver {
  readonly #daemon: BirdDaemon;
  readonly #tag: string;
  #model: SpeakerModel | null = null;
  #held: Held = { routes: null, running: null };
  #trial: Trial | null = null;
  #failure: Failure | null = null;
  #deploying = 0;
  readonly #seen = new Map<string, Moment>();

  constructor(daemon: BirdDaemon, speakerId: string) {
    this.#daemon = daemon;
    this.#tag = speakerTag(speakerId);
  }

  /** Peers and identity; BIRD hears of them with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    await this.undo();
    this.#model = model;
    // Whoever calls reads all routes next, which is not worth while for a BIRD that is away.
    const { routes } = this.#held;
    if (routes === null) await this.#daemon.state(this.#tag);
    else await this.#deploy(model, routes, never, { byItself: true, provisional: false });
  }

  check(model: SpeakerModel): readonly string[] {
    return birdRenderer().check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return this.#daemon.renderer.render(model, routes);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    if (this.#model === null)
      throw new SpeakerError('speaker_failed', 'the speaker has not been configured yet');
    await this.undo();
    const before = this.#held.routes;
    // The first routes after a start are brought back by nobody's wish; a later apply is somebody's.
    const provisional = routes.confirmSeconds !== undefined;
    await this.#deploy(this.#model, routes, signal, { byItself: before === null, provisional });
    const { announced, withdrawn, changed } = diffTables(before?.table ?? emptyTable(), routes.table);
    return { announced, withdrawn, changed };
  }

  async confirm(): Promise<void> {
    const taken = this.#takeTrial();
    try {
      await taken?.trial.confirm();
    } catch (error) {
      if (taken !== null) this.#held = taken.before;
      throw error;
    }
  }

  async undo(): Promise<void> {
    const taken = this.#takeTrial();
    if (taken === null) return;
    this.#held = taken.before;
    await taken.trial.undo();
  }

  #takeTrial(): Trial | null {
    const taken = this.#trial;
    this.#trial = null;
    return taken;
  }

  async status(): Promise<SpeakerStatus> {
    try {
      return this.#statusOf(await this.#daemon.state(this.#tag));
    } catch (error) {
      return unreachable(error);
    }
  }

  /** Graceful: BIRD goes on announcing what it announces. Else the speaker's sessions and routes are taken out of it. */
  async close(graceful: boolean): Promise<void> {
    await this.undo();
    if (!graceful) await this.#daemon.remove(this.#tag);
  }

  async #deploy(
    model: SpeakerModel,
    routes: RoutesModel,
    signal: AbortSignal,
    { byItself, provisional }: { readonly byItself: boolean; readonly provisional: boolean },
  ): Promise<void> {
    const refusal = refuseIdentity(model);
    if (refusal !== null) throw new SpeakerError('config_refused', refusal);
    const configuration = this.#daemon.render(model, routes);
    this.#refuseTooMany(model, configuration);
    const last = this.#failure?.hash === configuration.hash ? this.#failure : null;
    if (byItself && last !== null && performance.now() < last.until) throw last.error;
    this.#deploying++;
    try {
      if (model.peers.some((peer) => peer.bfd) && !(await this.#daemon.hasBfd()))
        throw new SpeakerError(
          'bfd_missing',
          'a peer asks for BFD and BIRD runs no BFD protocol: add  protocol bfd { }  to its main configuration, or set bfd of the peer to false',
        );
      const trial = await this.#daemon.tryOut(configuration, signal, routes.confirmSeconds);
      if (!provisional) await trial?.confirm();
      else if (trial !== null) this.#trial = { trial, before: this.#held };
      this.#held = { routes, running: configuration };
      this.#failure = null;
    } catch (error) {
      if (error instanceof SpeakerError && error.code !== 'speaker_unreachable') {
        const pause = pauseAfter(error, last);
        this.#failure = { hash: configuration.hash, error, pause, until: performance.now() + pause };
      }
      throw error;
    } finally {
      this.#deploying--;
    }
  }

  /** BIRD itself would send such a peer some routes and not others, as they come. */
  #refuseTooMany(model: SpeakerModel, { peers }: Configuration): void {
    const limits = new Map(model.peers.map((peer) => [peer.id, peer]));
    for (const { peerId, routes } of peers) {
      const { name, maxPrefixesOut } = limits.get(peerId)!;
      if (maxPrefixesOut !== null && routes > maxPrefixesOut)
        throw new SpeakerError(
          'max_prefixes_exceeded',
          `the peer ${name} would be sent ${routes} routes, more than its max_prefixes_out of ${maxPrefixesOut}: raise it, or send the peer fewer communities`,
        );
    }
  }

  #statusOf(state: BirdState): SpeakerStatus {
    return {
      reachable: true,
      version: state.version,
      routerId: this.#model?.routerId ?? state.routerId,
      uptimeSeconds: state.uptimeSeconds,
      lastReconfiguredAt:
        state.reconfigured === null ? null : this.#when('reconfigured', '', state.reconfigured, state.now),
      sessions: this.#held.running?.peers.map((peer) => this.#sessionOf(peer, state)) ?? [],
      error: this.#drift(state),
    };
  }

  #drift(state: BirdState): string | null {
    const { running } = this.#held;
    const settled = running !== null && this.#deploying === 0 && !state.reconfiguring;
    if (!settled || markOf(state, this.#tag) === running.hash) return null;
    return 'BIRD runs another configuration than the one that was applied last: somebody took it back, or changed what BIRD reads. Apply again.';
  }

  #sessionOf({ peerId, protocol, problem }: Configuration['peers'][number], state: BirdState): SessionStatus {
    const status = state.protocols.find(({ name }) => name === protocol);
    const sessionState = status?.sessionState ?? 'idle';
    return {
      peerId,
      state: sessionState,
      since: this.#when(`peer ${peerId}`, sessionState, status?.since ?? null, state.now),
      routesExported: status?.exported ?? 0,
      routesReceived: status?.received ?? 0,
      updatesSent: status?.sent ?? 0,
      lastError: problem ?? notAgreed(status) ?? status?.lastError ?? null,
    };
  }

  /**
   * A time of BIRD's clock in ours, reckoned once: neither the clocks nor BIRD's rounding may move it afterwards. Without one:
   * the first look at that state.
   */
  #when(what: string, state: string, time: number | null, now: number | null): string {
    const known = this.#seen.get(what);
    const isKnown = known?.state === state && Math.abs((known.time ?? 0) - (time ?? 0)) < SAME_MOMENT;
    if (known !== undefined && isKnown) return known.since;
    const ago = time === null || now === null ? 0 : Math.max(0, now - time);
    const since = new Date(Date.now() - ago).toISOString();
    this.#seen.set(what, { state, time, since });
    return since;
  }
}

/** What to do about a peer that is up and takes only some of its families. */
function notAgreed(status: ProtocolStatus | undefined): string | null {
  if (status?.sessionState !== 'established' || status.idleFamilies.length === 0) return null;
  const families = status.idleFamilies.join(' and ');
  return `the peer takes no ${families} routes: configure the family there, or leave it out of families here`;
}

function pauseAfter({ code }: SpeakerError, last: Failure | null): number {
  if (!TAKEN_BACK.includes(code)) return PAUSE;
  return Math.max(FIRST_LONG_PAUSE, Math.min((last?.pause ?? 0) * 2, LONGEST_PAUSE));
}

const never = new AbortController().signal;
