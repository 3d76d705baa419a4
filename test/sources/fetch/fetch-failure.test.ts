import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../src/sources/fetch/fetch-failure.ts';
import { DEFAULT_LIMITS } from '../../../src/sources/fetch/fetch-limits.ts';
import { SourceError } from '../../../src/sources/source-error.ts';

const place = 'https://example.com/list';

function fail(error: unknown): unknown {
  return failureOf(error, place, DEFAULT_LIMITS);
}

function coded(code: string, message = 'words of the library'): Error {
  return Object.assign(new Error(message), { code });
}

describe('failureOf', () => {
  it.each([
    ['ENOTFOUND', 'source_unreachable', 'names a host that does not exist. Check the URL.'],
    ['EAI_AGAIN', 'source_unreachable', "could not be resolved. Check the service's resolver."],
    ['ENETUNREACH', 'source_unreachable', 'cannot be reached: words of the library (ENETUNREACH).'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'source_unreachable', 'no trustworthy TLS: words of the library.'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'source_unreachable', 'no trustworthy TLS'],
    ['CERT_HAS_EXPIRED', 'source_unreachable', 'must correct the certificate'],
    ['UND_ERR_CONNECT_TIMEOUT', 'source_timeout', 'did not accept a connection within 10 s'],
    ['HPE_HEADER_OVERFLOW', 'source_too_large', 'headers of more than 16384 bytes'],
  ])('reports %s as %s', (code, reported, message) => {
    const error = coded(code);
    expect(fail(error)).toMatchObject({
      code: reported,
      message: expect.stringMatching(`^${place} .*`) as string,
      cause: error,
    });
    expect((fail(error) as Error).message).toContain(message);
  });

  it('reports the first of several attempts', () => {
    expect(fail(new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]))).toMatchObject({
      message: `${place} refused the connection. Check host and port of the URL.`,
    });
  });

  it('puts the place before what is known already', () => {
    expect(
      fail(new SourceError('source_http_status', 'answered HTTP 500.', { httpStatus: 500 })),
    ).toMatchObject({
      code: 'source_http_status',
      httpStatus: 500,
      message: `${place} answered HTTP 500.`,
    });
    expect(fail(new SourceError('source_refused_address', '10.0.0.1 is not public.'))).toMatchObject({
      message: `${place} cannot be fetched: 10.0.0.1 is not public.`,
    });
  });

  it('leaves faults of our own as they are', () => {
    const error = new TypeError('undefined is not a function');
    expect(fail(error)).toBe(error);
  });
});
