/**
 * The node agent: brings a speaker's routes to the machine of its daemon, where nothing else of the service runs.
 *
 *     agent.ts          the whole: restores what ran, then follows and reports
 *     enroll.ts         a token becomes an identity: identity.ts says who the node is, trust.ts (and trust-file.ts) whom it trusts
 *     follower.ts       is there something new? Pulls it, with apply-state.ts: how the last attempt ended
 *     installer.ts      verifies, applies, keeps; held-routes.ts (and held-file.ts): what peers over their limit hold; changed-settings.ts
 *     reporter.ts       reports the daemon's state; status-file.ts has the same for a user on the node
 *     control-plane.ts  what is asked of the control plane, over control-client.ts; control-clock.ts: its clock; control-contact.ts: does it answer?
 *     data-directory.ts, state-file.ts   files that survive a crash
 *
 * Whatever fails, the announced routes stay: only a verified bundle that the daemon has accepted changes them.
 */
import type { OperatorEvent } from '../api/activity/operator-events.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import { SessionWatch, type WatchedPeer } from '../speakers/session-watch.ts';
import {
  unreachable,
  type SessionState,
  type SpeakerDriver,
  type SpeakerStatus,
} from '../speakers/speaker.ts';
import { describeFault } from './agent-fault.ts';
import type { AgentLog } from './agent-log.ts';
import { Backoff } from '../concurrency/backoff.ts';
import { pause } from '../concurrency/pause.ts';
import type { ControlClock } from './control-clock.ts';
import type { ControlPlane } from './control-plane.ts';
import type { DataDirectory } from './data-directory.ts';
import { Follower } from './follower.ts';
import { NODE_REMEDY, readIdentity, type Identity } from './identity.ts';
import { Installer } from './installer.ts';
import { Reporter } from './reporter.ts';
import { writeStatus } from './status-file.ts';
import { TrustStore } from './trust.ts';

/** Milliseconds between writes of the status. */
const STATUS_MILLISECONDS = 5_000;

export interface AgentOptions {
  readonly directory: DataDirectory;
  readonly identity: Identity;
  readonly control: ControlPlane;
  readonly clock: ControlClock;
  readonly driver: SpeakerDriver;
  readonly version: string;
  readonly log: AgentLog;
  /** Receives the events for operators. */
  readonly emit: (event: OperatorEvent) => void;
}

/** What metrics report about the node. */
export interface AgentSeen {
  readonly speaker: string;
  /** Null: nothing runs yet. */
  readonly running: { readonly revision: number; readonly ipv4: number; readonly ipv6: number } | null;
  readonly sessions: readonly { readonly peer: string; readonly state: SessionState }[];
}

export class NodeAgent {
  readonly #options: AgentOptions;
  readonly #stopping = new AbortController();
  readonly #trust: TrustStore;
  readonly #installer: Installer;
  readonly #follower: Follower;
  readonly #reporter: Reporter;
  #secret: string;
  #running: Promise<unknown> = Promise.resolve();
  #writtenAt = -Infinity;
  readonly #watch: SessionWatch;
  #status: SpeakerStatus | null = null;
  /** Why the state on disk cannot be restored; null: it can. */
  #restoreFault: string | null = null;

  private constructor(options: AgentOptions, trust: TrustStore) {
    const { identity, driver } = options;
    this.#watch = new SessionWatch({ id: identity.speaker_id, name: identity.speaker_name });
    this.#options = options;
    this.#trust = trust;
    this.#secret = identity.api_key.secret;
    const secret = (): string => this.#secret;
    this.#installer = new Installer({ ...options, trust });
    this.#follower = new Follower({
      ...options,
      trust,
      secret,
      installer: this.#installer,
      renewSecret: () => this.#renewSecret(),
      onChange: () => {
        this.#writtenAt = -Infinity;
        this.#reporter.hint();
      },
    });
    this.#reporter = new Reporter({
      ...options,
      driver,
      secret,
      apply: () => this.#follower.apply,
      onStatus: (status) => {
        this.#noteStatus(status);
        void this.#writeStatus(status);
      },
    });
  }

  /** @throws {AgentFault} `state_unreadable` */
  static async open(options: AgentOptions): Promise<NodeAgent> {
    return new NodeAgent(options, await TrustStore.open(options.directory, NODE_REMEDY));
  }

  get seen(): AgentSeen {
    const running = this.#installer.running;
    const names = new Map(this.#peers().map(({ id, name }) => [id, name]));
    return {
      speaker: this.#options.identity.speaker_name,
      running: running && {
        revision: running.manifest.revision_number,
        ipv4: running.announced.table.ipv4.size,
        ipv6: running.announced.table.ipv6.size,
      },
      sessions: (this.#status?.sessions ?? []).map(({ peerId, state }) => ({
        peer: names.get(peerId) ?? peerId,
        state,
      })),
    };
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running = Promise.all([this.#restoreAndFollow(signal), this.#reporter.run(signal)]);
  }

  /** Stops; peers keep the routes (RFC 4724) until the agent is back, and a routing daemon goes on announcing them. */
  async close(): Promise<void> {
    const { driver } = this.#options;
    this.#stopping.abort();
    await this.#running;
    const seen = await driver.status().catch(unreachable);
    await driver.close(true);
    await this.#reporter.close(seen);
  }

  /** First restores what ran. A daemon that cannot take it now may take it later, or take what the control plane then has. */
  async #restoreAndFollow(signal: AbortSignal): Promise<void> {
    const isDone = await this.#restore(signal);
    await Promise.all([isDone ? null : this.#restoreLater(signal), this.#follower.run(signal)]);
  }

  async #restoreLater(signal: AbortSignal): Promise<void> {
    const pauses = new Backoff(500, 15_000);
    do await pause(pauses.next(), signal);
    while (!signal.aborted && !(await this.#restore(signal)));
  }

  /** @returns whether there is nothing left to try */
  async #restore(signal: AbortSignal): Promise<boolean> {
    const { log } = this.#options;
    try {
      if (await this.#installer.restore(signal)) {
        const { sequence, revision_id } = this.#installer.running!.manifest;
        log.info({ sequence, revision_id }, 'The daemon runs what it ran before the agent was stopped');
      }
      this.#restoreFault = null;
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const words = describeFault(error);
      if (words !== this.#restoreFault)
        log.error({ err: error }, `What ran before could not be brought back: ${words}`);
      this.#restoreFault = words;
      // It will be as damaged at the next attempt.
      return error instanceof BundleError;
    }
  }

  /** The node may have been enrolled again meanwhile. */
  async #renewSecret(): Promise<boolean> {
    const { directory, identity } = this.#options;
    const now = await readIdentity(directory);
    if (now === null || now.api_key.secret === this.#secret || now.speaker_id !== identity.speaker_id)
      return false;
    await this.#trust.reload();
    this.#secret = now.api_key.secret;
    return true;
  }

  #noteStatus(status: SpeakerStatus): void {
    this.#status = status;
    const { identity, emit } = this.#options;
    for (const event of this.#watch.observe(identity.speaker_name, this.#peers(), status)) emit(event);
  }

  #peers(): readonly WatchedPeer[] {
    return this.#installer.running?.speaker.peers ?? [];
  }

  async #writeStatus(status: SpeakerStatus): Promise<void> {
    const now = performance.now();
    if (now - this.#writtenAt < STATUS_MILLISECONDS) return;
    this.#writtenAt = now;
    const { directory, identity, clock, version } = this.#options;
    const running = this.#installer.running;
    await writeStatus(directory, {
      pid: process.pid,
      version,
      updated_at: new Date().toISOString(),
      speaker: { id: identity.speaker_id, name: identity.speaker_name, daemon: identity.daemon },
      control: {
        url: identity.control_url,
        error: this.#follower.fault ?? this.#restoreFault,
        clock_skew_seconds: clock.skew(),
        believed: this.#reporter.isBelieved,
      },
      running: running && {
        sequence: running.manifest.sequence,
        revision_number: running.manifest.revision_number,
        content_hash: running.manifest.content_hash,
        prefix_count: { ipv4: running.announced.table.ipv4.size, ipv6: running.announced.table.ipv6.size },
        expires_at: running.manifest.expires_at,
      },
      last_apply: this.#follower.apply,
      daemon: status,
      peers: this.#peers().map(({ id, name }) => ({ id, name })),
    });
  }
}
