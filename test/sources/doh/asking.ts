import { expect } from 'vitest';
import { DohResolver, type DohResolverOptions } from '../../../src/sources/doh/doh.ts';
import type { SourceError } from '../../../src/sources/source-error.ts';
import type { DohServer } from './server.ts';
import { allowing } from '../lists/list-server.ts';

/** A resolver for the server, impatient and allowed to reach loopback. The caller closes it. */
export function resolverAt(server: DohServer, options: Partial<DohResolverOptions> = {}): DohResolver {
  return new DohResolver({
    url: server.url,
    method: 'POST',
    bootstrapAddresses: [],
    clientSubnet: null,
    timeoutMs: 5_000,
    headers: {},
    fetchAllow: allowing('127.0.0.1/32'),
    retry: { attempts: 3, firstMs: 5, longestMs: 50 },
    ...options,
  });
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
