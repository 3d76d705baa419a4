/** GoBGP's API: gRPC over a Unix socket or TCP. Every call has a deadline, since a stopped daemon refuses nothing. */
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Client, ServiceError } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { SpeakerError } from '../speaker.ts';

/** Milliseconds for calls that GoBGP answers without work. */
const DEADLINE = 5_000;
/** Milliseconds for calls for which GoBGP walks all routes. */
export const LONG_DEADLINE = 120_000;

/** Status codes of gRPC. */
const Status: Readonly<Record<string, number>> = {
  cancelled: 1,
  deadlineExceeded: 4,
  unimplemented: 12,
  unavailable: 14,
};

interface Call {
  readonly client: Client;
  readonly method: MethodDefinition<object, object>;
}

export class GobgpApi {
  /** As configured: `unix:/path` or `HOST:PORT`. */
  readonly address: string;
  #client: Client | null = null;
  /**
   * Resolves when GoBGP is no longer walking all routes. It answers no call meanwhile, so that a deadline that started earlier would take
   * it for hung.
   */
  #working: Promise<unknown> = Promise.resolve();
  #lastLong: Promise<unknown> = Promise.resolve();

  constructor(address: string) {
    this.address = address;
  }

  /** Closes the connection; the next call opens another. */
  close(): void {
    this.#client?.close();
    this.#client = null;
  }

  /**
   * Sends one request for one answer; calls that take long run one after the other.
   * @param deadline in milliseconds, from when GoBGP is asked
   */
  async call<T = unknown>(name: string, request: object, deadline = DEADLINE): Promise<T> {
    if (deadline < LONG_DEADLINE) {
      await this.#working;
      return this.#ask<T>(name, request, deadline);
    }
    const turn = this.#lastLong.then(() => {
      const answer = this.#ask<T>(name, request, deadline);
      this.#working = answer.catch(() => undefined);
      return answer;
    });
    this.#lastLong = turn.catch(() => undefined).then(() => othersFirst());
    return turn;
  }

  async #ask<T>(name: string, request: object, deadline: number): Promise<T> {
    const { client, method } = await this.#prepare(name);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        { deadline: Date.now() + deadline },
        (error, answer) => {
          if (error === null) resolve(answer as T);
          else reject(this.#failure(name, error, deadline));
        },
      );
    });
  }

  /** Yields the answers to one request as they arrive. @param deadline for all of them, in milliseconds */
  async *list<T>(name: string, request: object, deadline = DEADLINE): AsyncGenerator<T> {
    await this.#working;
    const { client, method } = await this.#prepare(name);
    const { path, requestSerialize, responseDeserialize } = method;
    const options = { deadline: Date.now() + deadline };
    const answers = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      options,
    );
    try {
      for await (const answer of answers) yield answer as T;
    } catch (error) {
      throw this.#failure(name, error as ServiceError, deadline);
    } finally {
      answers.cancel();
    }
  }

  async listAll<T>(name: string, request: object): Promise<T[]> {
    const answers: T[] = [];
    for await (const answer of this.list<T>(name, request)) answers.push(answer);
    return answers;
  }

  /**
   * Sends requests that are already encoded, as fast as GoBGP takes them, and waits until it confirms them all.
   * @param timeout longest time without progress, in milliseconds
   */
  async send(name: string, requests: Iterable<Buffer>, timeout: number, signal: AbortSignal): Promise<void> {
    await this.#working;
    const { client, method } = await this.#prepare(name);
    signal.throwIfAborted();
    let failure: ServiceError | null | undefined;
    let wake = (): void => undefined;
    const stream = client.makeClientStreamRequest(
      method.path,
      (bytes: Buffer) => bytes,
      method.responseDeserialize,
      (error) => {
        failure = error;
        wake();
      },
    );
    stream.on('drain', () => wake());
    // The callback receives the error as well.
    stream.on('error', () => undefined);
    const pause = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          settle();
        };
        const abort = (): void => end(() => reject(signal.reason as Error));
        const timer = setTimeout(() => end(() => reject(this.#hung(timeout))), timeout);
        signal.addEventListener('abort', abort, { once: true });
        wake = () => end(resolve);
      });
    try {
      for (const request of requests) {
        if (failure !== undefined) break;
        signal.throwIfAborted();
        if (!stream.write(request)) await pause();
      }
      stream.end();
      while (failure === undefined) await pause();
    } finally {
      stream.cancel();
    }
    if (failure !== null) throw this.#failure(name, failure, timeout);
  }

  async #prepare(name: string): Promise<Call> {
    const { methodOf, openChannel } = await import('./channel.ts');
    return { client: (this.#client ??= openChannel(this.address)), method: methodOf(name) };
  }

  #hung(deadline: number): SpeakerError {
    return new SpeakerError(
      'speaker_unreachable',
      `GoBGP at ${this.address} has not answered within ${deadline / 1000} s`,
    );
  }

  #failure(name: string, { code, details }: ServiceError, deadline: number): SpeakerError {
    const words = details.replace(/\. Resolution note:.*$/s, '');
    switch (code) {
      case Status.deadlineExceeded:
        return this.#hung(deadline);
      case Status.unavailable:
      case Status.cancelled:
        return new SpeakerError(
          'speaker_unreachable',
          `GoBGP at ${this.address} can't be reached: ${words}. See that gobgpd runs, and with --api-hosts for this address`,
        );
      case Status.unimplemented:
        return new SpeakerError(
          'speaker_failed',
          `what answers at ${this.address} has no API of GoBGP 3 (${name}: ${words}): set APP_ROUTER_SOCKET to the address of gobgpd's`,
        );
      default:
        return new SpeakerError('config_refused', `GoBGP refuses ${name}: ${words}`);
    }
  }
}
