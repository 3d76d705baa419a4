import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { DohResolver, type DohResolverOptions } from '../../../src/sources/doh/doh.ts';
import type { SourceError } from '../../../src/sources/source-error.ts';
import { type DohServer, replyTo, startDohServer } from './server.ts';
import { reaching } from '../lists/list-server.ts';

/** A server, and the resolvers that ask it. */
class Asking {
  server!: DohServer;
  readonly #resolvers: DohResolver[] = [];

  async start(): Promise<void> {
    this.server = await startDohServer();
  }

  /** Lets the server answer what is asked with nothing, and forget what was asked. */
  reset(): void {
    this.server.answer = replyTo;
    this.server.asked.length = 0;
  }

  /**
   * A resolver for the server, which may reach loopback. It shares this thread with the server, so that hundreds of questions take seconds on a busy
   * machine; whoever tries what comes of silence says how long that lasts.
   */
  readonly resolver = (options: Partial<DohResolverOptions> = {}): DohResolver => {
    const resolver = new DohResolver({
      url: this.server.url,
      method: 'POST',
      bootstrapAddresses: [],
      clientSubnet: null,
      timeoutMs: 60_000,
      headers: {},
      reach: reaching('127.0.0.1/32'),
      retry: { attempts: 3, firstMs: 5, longestMs: 50 },
      ...options,
    });
    this.#resolvers.push(resolver);
    return resolver;
  };

  async close(): Promise<void> {
    for (const resolver of this.#resolvers) resolver.close();
    await this.server?.close();
  }
}

/** Starts before the tests of the calling file, is reset before each and ends after them. */
export function useAsking(): Asking {
  const asking = new Asking();
  beforeAll(() => asking.start());
  beforeEach(() => asking.reset());
  afterAll(() => asking.close());
  return asking;
}

/** The error that the promise must reject with. */
export async function failureOf(promise: Promise<unknown>): Promise<SourceError> {
  const error = await promise.then(
    (value) => new Error(`It did not fail: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect((error as Error).name, String(error)).toBe('SourceError');
  return error as SourceError;
}
