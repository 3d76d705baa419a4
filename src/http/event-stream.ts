import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent } from '../store/events.ts';

/** Something is said at least so often: proxies and clients take a silent connection for dead. */
const HEARTBEAT_MILLISECONDS = 15_000;
/** Hints get lost; the events themselves do not. */
const LOOK_MILLISECONDS = 2_000;
/** Changes come in bursts: one look for several. */
const BURST_MILLISECONDS = 20;
/** A reader who takes nothing for so long is cut off, and may come back for what it has missed. */
const PATIENCE_MILLISECONDS = 15_000;
/** An answer begins at once or never. */
const UNREAD_MILLISECONDS = 10_000;
/** What clients wait before they come back. */
const RETRY_MILLISECONDS = 2_000;

export interface EventSource {
  /** The next events after that number, in order; none when there are none yet. */
  readonly read: (after: number) => Promise<readonly StoredEvent[]>;
  /** What the log keeps of a look that failed, the first of several in a row; it is tried again. */
  readonly onFault: (error: unknown) => void;
}

/** How one stream is told. */
export interface EventStreamOptions extends EventSource {
  readonly after: number;
  /** Set when the id that the reader came with leads nowhere. */
  readonly lostId: string | null;
  readonly heartbeatMilliseconds?: number;
  readonly patienceMilliseconds?: number;
}

/**
 * Events as `text/event-stream` (WHATWG HTML, 9.2), for one reader. It is given no more than it takes: the next events are read
 * when the last ones are on their way.
 */
export class EventStream extends Readable {
  readonly #options: EventStreamOptions;
  #after: number;
  readonly #unread: NodeJS.Timeout;
  #isBegun = false;
  #ended = false;
  #wake: () => void = () => undefined;
  #drained: () => void = () => undefined;
  #isHinted = false;
  #isFailing = false;

  constructor(options: EventStreamOptions) {
    super();
    this.#options = options;
    this.#after = options.after;
    // Whoever asked for it may have failed before the answer began.
    this.#unread = setTimeout(() => this.destroy(), UNREAD_MILLISECONDS).unref();
  }

  /** There may be something new. */
  hint(): void {
    this.#isHinted = true;
    this.#wake();
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
    this.push(opening(this.#options));
    void this.#tell().then(
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
    this.#wake();
    this.#drained();
  }

  async #tell(): Promise<void> {
    const { heartbeatMilliseconds = HEARTBEAT_MILLISECONDS } = this.#options;
    let spoken = performance.now();
    while (!this.#ended) {
      this.#isHinted = false;
      const events = await this.#look();
      if (this.#ended) return;
      const silent = performance.now() - spoken;
      if (events.length > 0 || silent >= heartbeatMilliseconds) {
        await this.#send(events.length > 0 ? events.map(formatEvent).join('') : ': heartbeat\n\n');
        spoken = performance.now();
      }
      this.#after = events.at(-1)?.sequence ?? this.#after;
      if (events.length > 0) await sleep(BURST_MILLISECONDS);
      else await this.#pause(Math.min(LOOK_MILLISECONDS, spoken + heartbeatMilliseconds - performance.now()));
    }
  }

  async #look(): Promise<readonly StoredEvent[]> {
    try {
      const events = await this.#options.read(this.#after);
      this.#isFailing = false;
      return events;
    } catch (error) {
      if (!this.#isFailing) this.#options.onFault(error);
      this.#isFailing = true;
      return [];
    }
  }

  /** Waits for a hint, but no longer than that. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#isHinted || this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, milliseconds));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** @throws when the reader takes nothing for too long */
  #send(text: string): Promise<void> {
    if (this.push(text)) return Promise.resolve();
    const { patienceMilliseconds = PATIENCE_MILLISECONDS } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`The reader took nothing for ${patienceMilliseconds} ms`)),
        patienceMilliseconds,
      );
      this.#drained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The id goes first, so that a reader who is cut off before the first event goes on from here all the same. */
function opening({ after, lostId }: EventStreamOptions): string {
  const start = `retry: ${RETRY_MILLISECONDS}\nid: ${after}\n`;
  if (lostId === null) return `${start}\n`;
  return `${start}event: reset\ndata: ${JSON.stringify({ last_event_id: lostId })}\n\n`;
}

function formatEvent({ sequence, kind, data }: StoredEvent): string {
  return `id: ${sequence}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
