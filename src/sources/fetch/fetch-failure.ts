import type { FetchLimits } from './fetch-limits.ts';
import { SourceError, type SourceErrorCode } from '../source-error.ts';

/**
 * Explains a failed request to the user who configured the source. `place` is the URL without secrets. Errors that no network causes are
 * ours and are returned unchanged.
 */
export function failureOf(error: unknown, place: string, limits: FetchLimits): unknown {
  if (error instanceof SourceError)
    return new SourceError(error.code, `${place} ${joined(error.message)}`, {
      ...(error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus }),
      retryAfterMs: error.retryAfterMs,
      cause: error,
    });
  const cause = firstOf(error);
  // Some errors of the parser have no code.
  const code =
    (cause as { code?: unknown }).code ??
    ((cause as Error | null)?.name === 'HTTPParserError' ? 'HPE_' : undefined);
  if (typeof code !== 'string') return error;
  const [sourceCode, message] = explain(code, (cause as Error).message, limits);
  return new SourceError(sourceCode, `${place} ${message}`, { cause: error });
}

/** Happy Eyeballs fails with the errors of all attempts. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;
}

/** The guard's sentences are complete ("10.0.0.1 is not public"); those about the body continue the URL ("is larger than …"). */
function joined(message: string): string {
  return /^(is|has|sent|unpacks|answered|redirects|did|speaks) /.test(message)
    ? message
    : `cannot be fetched: ${message}`;
}

function explain(code: string, message: string, limits: FetchLimits): [SourceErrorCode, string] {
  const seconds = (ms: number): string => `${ms / 1000} s`;
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return ['source_timeout', `did not accept a connection within ${seconds(limits.connectMs)}. ${LATER}`];
    case 'UND_ERR_HEADERS_TIMEOUT':
      return ['source_timeout', `did not answer within ${seconds(limits.headersMs)}. ${LATER}`];
    case 'UND_ERR_BODY_TIMEOUT':
      return ['source_timeout', `paused for more than ${seconds(limits.idleMs)} in its answer. ${LATER}`];
    case 'UND_ERR_HEADERS_OVERFLOW':
    case 'HPE_HEADER_OVERFLOW':
      return ['source_too_large', `answers with headers of more than ${limits.headerBytes} bytes.`];
    case 'ENOTFOUND':
      return ['source_unreachable', 'names a host that does not exist. Check the URL.'];
    case 'EAI_AGAIN':
      return ['source_unreachable', "names a host that could not be resolved. Check the service's resolver."];
    case 'ECONNREFUSED':
      return ['source_unreachable', 'refused the connection. Check host and port of the URL.'];
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
    case 'HPE_INVALID_EOF_STATE':
      return ['source_unreachable', `broke the connection off before its answer was complete. ${LATER}`];
  }
  if (code.startsWith('HPE_'))
    return [
      'source_unreachable',
      `answers with something that is not HTTP (${message}). Check scheme and port.`,
    ];
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return [
      'source_unreachable',
      `has no trustworthy TLS: ${message}. Its operator must correct the certificate.`,
    ];
  return ['source_unreachable', `cannot be reached: ${message} (${code}).`];
}

const LATER = 'The next refresh tries again; if it stays, ask the operator of the source.';
