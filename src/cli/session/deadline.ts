/** `--timeout`: when a command gives up, whatever it is at, be it a trial, a retry or the waiting for routers. */
import { askedMilliseconds } from '../process/ask.ts';
import { LightRequest } from '../transport/light-request.ts';

/** How long a request that is sent late may wait for its answer all the same: it says what has been done. */
const LAST_ANSWER_MS = 1_000;

/** One for a command, from its start. The time in which a person thinks about a question is not of it. */
export class Deadline {
  readonly seconds: number;
  readonly #start = Date.now() - askedMilliseconds();

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  /** In milliseconds since 1970. */
  get until(): number {
    return this.#start + askedMilliseconds() + this.seconds * 1_000;
  }

  get isOver(): boolean {
    return Date.now() >= this.until;
  }

  /** Sends it, and waits for the beginning of the answer until then. */
  async send<T>(request: LightRequest, send: (request: LightRequest) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const late = new Error(`no answer within the ${this.seconds} s of --timeout`);
    const left = Math.max(LAST_ANSWER_MS, this.until - Date.now());
    const timer = setTimeout(() => over.abort(late), left);
    const { url, method, headers, body, signal } = request;
    try {
      const limited = { method, headers, body, signal: AbortSignal.any([signal, over.signal]) };
      return await send(new LightRequest(url, limited));
    } finally {
      clearTimeout(timer);
    }
  }
}
