/**
 * Confirm and undo for daemons without them: this process keeps the routes that were confirmed last, and applies them again when an apply
 * is not confirmed in time. If the process ends before that, the next process that drives the speaker starts with the revision recorded as
 * applied, which is the confirmed one.
 */
import { SerialQueue } from '../concurrency/serial-queue.ts';
import {
  SpeakerError,
  type ApplyOutcome,
  type PlainDriver,
  type RenderedFile,
  type RoutesModel,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from './speaker.ts';

/** Milliseconds between attempts to go back. */
const AGAIN = 1_000;

/** An apply that is not confirmed yet. */
interface ProvisionalApply {
  readonly routes: RoutesModel;
  readonly seconds: number;
  /** On a clock that runs on while the process is stopped. */
  readonly deadline: number;
  readonly timer: NodeJS.Timeout;
}

export class ProvisionalDriver implements SpeakerDriver {
  readonly #driver: PlainDriver;
  /** Null until a first apply is final: what the daemon ran before is unknown and stays. */
  #confirmed: RoutesModel | null = null;
  #provisional: ProvisionalApply | null = null;
  /** Seconds of a provisional apply that expired, until this has been reported. */
  #expired: number | null = null;
  /** Retries a failed return: until it succeeds, what the daemon runs is not what was confirmed. */
  #owed: NodeJS.Timeout | null = null;
  readonly #turns = new SerialQueue();
  #isClosing = false;
  /** Stops a return in progress while the speaker is removed. */
  readonly #ending = new AbortController();

  constructor(driver: PlainDriver) {
    this.#driver = driver;
  }

  get canRevertPeers(): boolean {
    return this.#driver.canRevertPeers === true;
  }

  check(model: SpeakerModel): readonly string[] {
    return this.#driver.check(model);
  }

  render(model: SpeakerModel, routes: RoutesModel): readonly RenderedFile[] {
    return this.#driver.render(model, routes);
  }

  configure(model: SpeakerModel): Promise<void> {
    return this.#turns.run(() => this.#driver.configure(model));
  }

  status(): Promise<SpeakerStatus> {
    return this.#driver.status();
  }

  async hurry(): Promise<void> {
    await this.#driver.hurry?.();
  }

  reload(): Promise<void> {
    return this.#turns.run(async () => this.#driver.reload?.());
  }

  apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    return this.#turns.run(async () => {
      signal.throwIfAborted();
      this.#settle();
      this.#expired = null;
      const { confirmSeconds } = routes;
      // Before the apply, so that one that takes too long is undone as well.
      if (confirmSeconds !== undefined) this.#begin(routes, confirmSeconds);
      try {
        const outcome = await this.#driver.apply(routes, signal);
        if (confirmSeconds === undefined) this.#confirmed = routes;
        return outcome;
      } catch (error) {
        await this.#goBack().catch(() => undefined); // retried by a timer
        throw error;
      }
    });
  }

  confirm(): Promise<void> {
    return this.#turns.run(async () => {
      const provisional = this.#provisional;
      if (provisional !== null && performance.now() > provisional.deadline) await this.#expire(provisional);
      const seconds = this.#expired;
      this.#expired = null;
      if (seconds !== null) throw tooLate(seconds);
      if (provisional === null) return;
      this.#settle();
      this.#confirmed = provisional.routes;
    });
  }

  undo(): Promise<void> {
    return this.#turns.run(async () => {
      this.#expired = null;
      if (this.#provisional !== null || this.#owed !== null) await this.#goBack();
    });
  }

  /** Peers with graceful restart keep what was confirmed. A return in progress ends first: it would bring the speaker back. */
  async close(graceful: boolean): Promise<void> {
    this.#isClosing = true;
    if (graceful) await this.undo().catch(() => undefined);
    else this.#ending.abort();
    await this.#turns.idle();
    this.#settle();
    await this.#driver.close(graceful);
  }

  #begin(routes: RoutesModel, seconds: number): void {
    const milliseconds = seconds * 1_000;
    const provisional: ProvisionalApply = {
      ...{ routes, seconds, deadline: performance.now() + milliseconds },
      timer: setTimeout(() => {
        void this.#turns.run(async () => {
          if (this.#provisional === provisional) await this.#expire(provisional);
        });
      }, milliseconds),
    };
    this.#provisional = provisional;
  }

  #settle(): void {
    clearTimeout(this.#provisional?.timer);
    this.#provisional = null;
    if (this.#owed !== null) clearTimeout(this.#owed);
    this.#owed = null;
  }

  async #expire({ seconds }: ProvisionalApply): Promise<void> {
    this.#expired = seconds;
    await this.#goBack().catch(() => undefined); // retried by a timer
  }

  async #goBack(): Promise<void> {
    this.#settle();
    if (this.#confirmed === null) return;
    try {
      await this.#driver.apply(this.#confirmed, this.#ending.signal);
    } catch (error) {
      if (this.#isClosing) throw error;
      const owed = setTimeout(() => {
        void this.#turns.run(async () => {
          if (this.#owed === owed) await this.#goBack().catch(() => undefined);
        });
      }, AGAIN);
      this.#owed = owed;
      throw error;
    }
  }
}

export function tooLate(seconds: number): SpeakerError {
  return new SpeakerError(
    'confirm_timeout',
    `the speaker had gone back to what it ran before when the apply was to be confirmed, which is to happen within ${seconds} s: see that this process was not stopped, or raise deploy_confirm_timeout_seconds`,
  );
}
