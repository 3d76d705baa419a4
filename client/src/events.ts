import { readEventStream } from './event-stream.ts';
import { isRefusal } from './problem.ts';
import type { ApiEvent, EventKind } from './schemas.ts';
import { sleep } from './sleep.ts';

export interface EventOptions {
  /** Begin after this event; from now on without. */
  readonly lastEventId?: string | undefined;
  /** Only these kinds, and `reset`. */
  readonly kinds?: readonly EventKind[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called whenever a stream has begun; what happens from then on is not missed. */
  readonly onOpen?: (() => void) | undefined;
  /** Called whenever a stream has broken or could not begin; it is resumed by itself. */
  readonly onBreak?: (() => void) | undefined;
}

/** Opens the stream after an event. */
export type OpenEvents = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;

/** The service sends a comment every 15 seconds: a stream that is silent for longer has died. */
const SILENCE_MILLISECONDS = 45_000;
const FIRST_RETRY_MILLISECONDS = 2_000;

/**
 * All events, in order, each once. A stream that breaks is resumed where it broke. Ends when the signal aborts.
 * @throws {ApiProblem} where the service refuses the stream for good
 */
export async function* followEvents(open: OpenEvents, options: EventOptions): AsyncGenerator<ApiEvent> {
  const { kinds, signal, onOpen, onBreak } = options;
  let lastEventId = options.lastEventId;
  let retryMilliseconds = FIRST_RETRY_MILLISECONDS;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const silence = new Silence(signal);
    try {
      const response = await open(lastEventId, silence.signal);
      for await (const part of readEventStream(silence.watch(response.body!))) {
        if ('retryMilliseconds' in part) ({ retryMilliseconds } = part);
        else if ('lastId' in part) {
          lastEventId = part.lastId;
          onOpen?.();
        } else {
          const { id, kind, data } = part.event;
          const event = { id, kind, data: JSON.parse(data) as unknown } as ApiEvent;
          if (kinds === undefined || kind === 'reset' || kinds.includes(event.kind)) yield event;
        }
      }
    } catch (error) {
      if (isOver()) return;
      if (isRefusal(error)) throw error;
    } finally {
      silence.end();
    }
    if (isOver()) return;
    onBreak?.();
    await sleep(retryMilliseconds, signal).catch(() => undefined);
  }
}

/** Aborts a stream in which nothing has come for too long. */
class Silence {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    outer?.addEventListener('abort', this.#abort, { once: true });
    this.#restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  watch(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) => {
        this.#restart();
        out.enqueue(chunk);
      },
    });
    // A stream that outlives its request is not sure to hear of the request's signal.
    return body.pipeThrough(heard, { signal: this.#controller.signal });
  }

  /** The stream has ended, or nobody reads it any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), SILENCE_MILLISECONDS);
  }
}
