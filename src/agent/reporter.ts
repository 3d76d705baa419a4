import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { DaemonReport } from '../api/nodes/nodes.ts';
import { DAEMON_NAMES, type Daemon } from '../api/speakers/speakers.ts';
import { ReferenceTimes } from '../speakers/reference-times.ts';
import { presentError } from '../speakers/session-fault.ts';
import { unreachable, withoutTimes, type SpeakerDriver, type SpeakerStatus } from '../speakers/speaker.ts';
import { AgentFault } from './agent-fault.ts';
import type { AgentLog } from './agent-log.ts';
import type { ApplyState } from './apply-state.ts';
import { Backoff } from '../concurrency/backoff.ts';
import { WakeableLoop, every } from '../concurrency/wakeable-loop.ts';
import type { ControlClock } from './control-clock.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Identity } from './identity.ts';

/** How often the daemon is checked, and how often its unchanged state is reported; milliseconds. */
const LOOK_MILLISECONDS = 1_000;
const REPORT = 5_000;
/** Pause after the key was refused. */
const REFUSED = 60_000;
/** Longest wait for the last report to arrive. */
const GOODBYE = 2_000;
const MAXIMUM_WORDS = 4_000;

export interface ReporterOptions {
  readonly identity: Identity;
  readonly control: ControlPlane;
  readonly clock: ControlClock;
  readonly driver: SpeakerDriver;
  readonly version: string;
  readonly log: AgentLog;
  readonly secret: () => string;
  readonly apply: () => ApplyState;
  /** Called at every look. */
  readonly onStatus: (status: SpeakerStatus) => void;
}

/** Reports the state of the daemon and its sessions to the control plane: at every change, and every few seconds. */
export class Reporter {
  readonly #options: ReporterOptions;
  /** Identifies this run: of two agents with one identity, the later one counts. */
  readonly #runId = uuidv7();
  readonly #unheard = new Backoff(1_000, 30_000);
  readonly #times: ReferenceTimes;
  readonly #loop = new WakeableLoop({
    work: (signal) => this.#look(signal),
    pause: every(LOOK_MILLISECONDS),
    onFault: (error) => this.#postpone(error),
  });
  #reported: { readonly what: object; readonly at: number } | null = null;
  #isBelieved = true;
  /** Whether the service has said that reports may have when a session is tried next. */
  #takesAttempts = false;
  /** When the next report may be tried, on the steady clock. */
  #notBefore = 0;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#times = new ReferenceTimes(options.clock);
  }

  /** False while another agent with the same identity, started later, reports too. */
  get isBelieved(): boolean {
    return this.#isBelieved;
  }

  hint(): void {
    this.#loop.hint();
  }

  /** Runs until the signal. */
  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  /**
   * A last report, so that readers need not wait until the node counts as silent. The service may have one of this run that was on its way when the agent was
   * stopped, or one of the run before.
   * @param seen what the daemon had when the agent let go of it
   */
  async close(seen: SpeakerStatus): Promise<void> {
    if (!this.#isBelieved) return;
    const last = goodbye(this.#options.identity.daemon, this.#times.translate(seen));
    await this.#report(last, AbortSignal.timeout(GOODBYE)).catch(() => undefined);
  }

  /** The follower logs the error; here only the pause matters. */
  #postpone(error: unknown): void {
    const fault = error instanceof AgentFault ? error : null;
    const least = fault?.code === 'unauthorized' ? REFUSED : (fault?.retryAfter ?? 0) * 1000;
    this.#notBefore = performance.now() + Math.max(this.#unheard.next(), least);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { driver, apply, onStatus } = this.#options;
    const seen = await driver.status().catch(unreachable);
    onStatus(seen);
    const status = this.#times.translate(seen);
    const now = performance.now();
    if (now < this.#notBefore) return;
    const what = { ...withoutTimes(status), apply: apply() };
    const last = this.#reported;
    const isDue = last === null || now - last.at >= REPORT;
    if (!isDue && isDeepStrictEqual(what, last.what)) return;
    const accepted = await this.#report(status, signal);
    this.#reported = { what, at: performance.now() };
    this.#unheard.reset();
    if (accepted !== this.#isBelieved) this.#noteRival(accepted);
  }

  /** @returns whether this run is the one that counts */
  async #report(status: SpeakerStatus, signal: AbortSignal): Promise<boolean> {
    const { control, identity, secret, apply, version } = this.#options;
    const agent = { version, hostname: hostname(), run_id: this.#runId };
    const body = { ...apply(), daemon: reportOf(status, this.#takesAttempts), agent };
    // One of before refuses what it does not know, and may answer in the place of another at any time.
    this.#takesAttempts = false;
    const taken = await control.report(secret(), identity.speaker_id, body, signal);
    this.#takesAttempts = taken.session_members?.includes('next_attempt_at') === true;
    return taken.accepted;
  }

  #noteRival(accepted: boolean): void {
    const { log, identity } = this.#options;
    this.#isBelieved = accepted;
    if (accepted) log.info({}, 'No other agent with the identity of this node reports any more');
    else
      log.error(
        { speaker_id: identity.speaker_id },
        'Another agent with the identity of this node was started later, and the service uses its reports. Stop one of them, and ' +
          'enroll it again. This one keeps announcing.',
      );
  }
}

/** Sessions of the agent's own end with it. Those of a routing daemon go on, and nobody reports them any more. */
function goodbye(daemon: Daemon, { reachable: isThere, sessions }: SpeakerStatus): SpeakerStatus {
  if (daemon === 'builtin')
    return unreachable(
      'The agent was stopped. Peers with graceful restart (RFC 4724) keep the routes for a while.',
    );
  const name = DAEMON_NAMES[daemon];
  if (!isThere) return unreachable(`The agent was stopped, and ${name} did not answer it then.`);
  return {
    ...unreachable(
      `The agent was stopped. ${name} goes on announcing what it has, and takes nothing new until the agent runs again.`,
    ),
    sessions,
  };
}

function reportOf(status: SpeakerStatus, takesAttempts: boolean): DaemonReport {
  return {
    reachable: status.reachable,
    version: status.version,
    router_id: status.routerId,
    uptime_seconds: status.uptimeSeconds,
    last_reconfigured_at: status.lastReconfiguredAt,
    error: status.error?.slice(0, MAXIMUM_WORDS) ?? null,
    sessions: status.sessions.map((session) => ({
      peer_id: session.peerId,
      state: session.state,
      since: session.since,
      routes_exported: session.routesExported,
      routes_received: session.routesReceived,
      updates_sent: session.updatesSent,
      last_error: presentError(session),
      ...(takesAttempts ? { next_attempt_at: session.nextAttempt ?? null } : {}),
    })),
  };
}
