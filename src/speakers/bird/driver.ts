/**
 * Speakers in a BIRD that runs on this machine (2.0.12 and later, 3): BIRD holds the sessions, this process writes its routes and
 * peers into one directory of its configuration.
 *
 *     driver.ts             one SpeakerDriver per speaker, on one BirdDaemon
 *     daemon.ts             the apply as a transaction: check, try, verify, confirm or undo
 *     control-socket.ts, program.ts, config-directory.ts   BIRD's socket, program and files
 *     render.ts             model -> files, with route-groups.ts, policy.ts, communities.ts, names.ts, check.ts; all pure
 *     read-status.ts, verify.ts   what BIRD says -> what is wrong
 */
import { diffTables } from '../../core/diff.ts';
import { emptyTable } from '../../core/prefix-table.ts';
import {
  SpeakerError,
  type ApplyOutcome,
  type RoutesModel,
  type SessionStatus,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { checkModel, refuseIdentity } from './check.ts';
import type { BirdDaemon, BirdState } from './daemon.ts';
import { speakerTag } from './names.ts';
import type { Configuration } from './render.ts';
import { markOf } from './verify.ts';

/** A configuration that failed is not tried again by itself before, in milliseconds; twice as long after each failure. */
const FIRST_PAUSE = 15_000;
const LONGEST_PAUSE = 600_000;

/** A failure that will come again until something changes. */
interface Failure {
  readonly hash: string;
  readonly error: SpeakerError;
  readonly pause: number;
  readonly until: number;
}

export class BirdDriver implements SpeakerDriver {
  readonly #daemon: BirdDaemon;
  readonly #tag: string;
  #model: SpeakerModel | null = null;
  #routes: RoutesModel | null = null;
  #running: Configuration | null = null;
  #failure: Failure | null = null;
  #deploying = 0;
  readonly #seen = new Map<string, { readonly key: string; readonly since: string }>();

  constructor(daemon: BirdDaemon, speakerId: string) {
    this.#daemon = daemon;
    this.#tag = speakerTag(speakerId);
  }

  /** Peers and identity; BIRD hears of them with the first routes, so that no session opens on an empty table by mistake. */
  async configure(model: SpeakerModel): Promise<void> {
    this.#model = model;
    if (this.#routes !== null) await this.#deploy(model, this.#routes, never, true);
  }

  check(model: SpeakerModel): readonly string[] {
    return checkModel(model);
  }

  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    if (this.#model === null)
      throw new SpeakerError('speaker_failed', 'the speaker has not been configured yet');
    const before = this.#routes;
    // The first routes after a start are brought back by nobody's wish; a later apply is somebody's.
    await this.#deploy(this.#model, routes, signal, before === null);
    this.#routes = routes;
    const { announced, withdrawn, changed } = diffTables(before?.table ?? emptyTable(), routes.table);
    return { announced, withdrawn, changed };
  }

  async status(): Promise<SpeakerStatus> {
    try {
      return this.#statusOf(await this.#daemon.state(this.#tag));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ...UNREACHABLE, error: reason };
    }
  }

  /** Graceful: BIRD goes on announcing what it announces. Else the speaker's sessions and routes are taken out of it. */
  async close(graceful: boolean): Promise<void> {
    if (!graceful) await this.#daemon.remove(this.#tag);
  }

  async #deploy(
    model: SpeakerModel,
    routes: RoutesModel,
    signal: AbortSignal,
    byItself: boolean,
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
      await this.#daemon.deploy(configuration, signal, routes.confirmSeconds);
      this.#running = configuration;
      this.#failure = null;
    } catch (error) {
      if (error instanceof SpeakerError && error.code !== 'speaker_unreachable') {
        const pause = Math.min(last === null ? FIRST_PAUSE : last.pause * 2, LONGEST_PAUSE);
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
      sessions: this.#running?.peers.map((peer) => this.#sessionOf(peer, state)) ?? [],
      error: this.#drift(state),
    };
  }

  #drift(state: BirdState): string | null {
    const settled = this.#running !== null && this.#deploying === 0 && !state.reconfiguring;
    if (!settled || markOf(state, this.#tag) === this.#running?.hash) return null;
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
      lastError: problem ?? status?.lastError ?? null,
    };
  }

  /** A time of BIRD's clock in ours, reckoned once: it must not wander with the clocks afterwards. Without one: the first look. */
  #when(what: string, state: string, time: number | null, now: number | null): string {
    const key = `${state} ${time}`;
    const known = this.#seen.get(what);
    if (known?.key === key) return known.since;
    const ago = time === null || now === null ? 0 : Math.max(0, now - time);
    const since = new Date(Date.now() - ago).toISOString();
    this.#seen.set(what, { key, since });
    return since;
  }
}

const never = new AbortController().signal;

const UNREACHABLE: SpeakerStatus = {
  reachable: false,
  version: null,
  routerId: null,
  uptimeSeconds: null,
  lastReconfiguredAt: null,
  sessions: [],
  error: null,
};
