import { Backoff } from '../concurrency/backoff.ts';
import { pause } from '../concurrency/pause.ts';
import { AgentFault, describeFault } from './agent-fault.ts';
import type { AgentLog } from './agent-log.ts';

/** Longest pauses between requests that nobody answers, in milliseconds. */
const FIRST = 1_000;
const LONGEST = 60_000;

export interface ControlContactOptions {
  readonly log: AgentLog;
  /** What a fault does not touch, as a sentence for the log. */
  readonly stays: string;
  /** Looks for another secret, when this one is refused. @returns whether there is one */
  readonly renewSecret: () => Promise<boolean>;
  /** Called when {@link ControlContact.fault} has changed. */
  readonly onChange: () => unknown;
  /** Pauses while the control plane refuses; absent: as while it does not answer. */
  readonly refusals?: Backoff;
}

/** Whether a follower of the control plane reaches it, and how long it waits before it asks again. */
export class ControlContact {
  readonly #options: ControlContactOptions;
  readonly #silence = new Backoff(FIRST, LONGEST);
  #fault: string | null = null;

  constructor(options: ControlContactOptions) {
    this.#options = options;
  }

  /** Why the control plane cannot be followed now; null: it can. */
  get fault(): string | null {
    return this.#fault;
  }

  reached(): void {
    const { log, refusals, onChange } = this.#options;
    this.#silence.reset();
    refusals?.reset();
    if (this.#fault === null) return;
    this.#fault = null;
    log.info({}, 'The control plane answers again');
    onChange();
  }

  /** Waits as after a request that nobody answered. */
  async pause(signal: AbortSignal): Promise<void> {
    await pause(this.#silence.next(), signal);
  }

  /** Reports a fault once, and waits. It does not wait where the secret was another one by now. */
  async pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    const { log, stays, renewSecret, onChange, refusals = this.#silence } = this.#options;
    const fault = error instanceof AgentFault ? error : null;
    if (fault?.code === 'unauthorized' && (await renewSecret().catch(() => false))) return;
    const isSilent = fault === null || fault.code === 'control_unreachable';
    const pauses = isSilent ? this.#silence : refusals;
    const length = Math.max(pauses.next(), (fault?.retryAfter ?? 0) * 1_000);
    const words = describeFault(error);
    if (words !== this.#fault) {
      this.#fault = words;
      const again = { again_in_seconds: Math.round(length / 1_000) };
      log.warn({ err: error, ...again }, `${stays} ${words}`);
      onChange();
    }
    await pause(length, signal);
  }
}
