import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wakeup } from '../../concurrency/wakeup.ts';

/** Something is said at least so often: proxies and clients take a silent connection for dead. */
const HEARTBEAT_MILLISECONDS = 15_000;
/** What is new comes in bursts: one look for several. */
const BURST_MILLISECONDS = 20;
/** A reader who takes nothing for so long is cut off, and may come back for what it has missed. */
const TIMEOUT_MILLISECONDS = 15_000;
/** An answer begins at once or never. */
const UNREAD_MILLISECONDS = 10_000;
/** What clients wait before they come back. */
export const RETRY_MILLISECONDS = 2_000;

/** How one stream is sent. */
export interface SentEventsOptions {
  /** What stands before everything else. */
  readonly opening: string;
  /** The next events as text, not asked for before the last ones are on their way; null: nothing is new. */
  readonly next: () => Promise<string | null>;
  /** Milliseconds between queries without a hint. */
  readonly lookMilliseconds: number;
  /** What the log keeps of a look that failed, the first of several in a row; it is tried again. */
  readonly onFault: (error: unknown) => void;
  readonly heartbeatMilliseconds?: number | undefined;
  readonly timeoutMilliseconds?: number | undefined;
}

/** `text/event-stream` (WHATWG HTML, 9.2) for one reader, who is given no more than it takes. */
export class SentEvents extends Readable {
  readonly #options: SentEventsOptions;
  readonly #unread: NodeJS.Timeout;
  #isBegun = false;
  #ended = false;
  readonly #wakeup = new Wakeup();
  #drained: () => void = () => undefined;
  #isFailing = false;

  constructor(options: SentEventsOptions) {
    super();
    this.#options = options;
    // Whoever asked for it may have failed before the answer began.
    this.#unread = setTimeout(() => this.destroy(), UNREAD_MILLISECONDS).unref();
  }

  /** There may be something new. */
  hint(): void {
    this.#wakeup.hint();
  }

  /** Ends the answer in order; a reader that takes nothing more is cut off soon. */
  end(): void {
    this.#stop();
    setTimeout(() => this.destroy(), 1_000).unref();
  }

  override _read(): void {
    this.#drained();
    if (this.#isBegun) return;
    this.#isBegun = true;
    clearTimeout(this.#unread);
    this.push(this.#options.opening);
    void this.#sendFound().then(
      () => this.push(null),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stop();
    callback(error);
  }

  #stop(): void {
    this.#ended = true;
    clearTimeout(this.#unread);
    this.#wakeup.hint();
    this.#drained();
  }

  async #sendFound(): Promise<void> {
    const { heartbeatMilliseconds = HEARTBEAT_MILLISECONDS, lookMilliseconds } = this.#options;
    let spoken = performance.now();
    while (!this.#ended) {
      this.#wakeup.forget();
      const text = await this.#look();
      if (this.#ended) return;
      const silent = performance.now() - spoken;
      const isHeartbeat = (text === null || text === '') && silent >= heartbeatMilliseconds;
      if (isHeartbeat || (text !== null && text !== '')) {
        await this.#send(isHeartbeat ? ': heartbeat\n\n' : text!);
        spoken = performance.now();
      }
      if (text !== null) await sleep(BURST_MILLISECONDS);
      else {
        const untilHeartbeat = spoken + heartbeatMilliseconds - performance.now();
        await this.#wakeup.pause(Math.min(lookMilliseconds, untilHeartbeat));
      }
    }
  }

  async #look(): Promise<string | null> {
    try {
      const text = await this.#options.next();
      this.#isFailing = false;
      return text;
    } catch (error) {
      if (!this.#isFailing) this.#options.onFault(error);
      this.#isFailing = true;
      return null;
    }
  }

  /** @throws when the reader takes nothing for too long */
  #send(text: string): Promise<void> {
    if (this.push(text)) return Promise.resolve();
    const { timeoutMilliseconds = TIMEOUT_MILLISECONDS } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`The reader took nothing for ${timeoutMilliseconds} ms`)),
        timeoutMilliseconds,
      );
      this.#drained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
