/** All ways in which a source can fail. The codes are shown to users, in front of an entry's `last_error`. */
export const SOURCE_ERROR_CODES = [
  'source_bad_url',
  'source_bad_headers',
  'source_refused_address',
  'source_unreachable',
  'source_timeout',
  'source_redirect',
  'source_http_status',
  'source_refused_query',
  'source_dns_failure',
  'source_no_resolver',
  'source_too_large',
  'source_unparseable',
  'source_empty',
] as const;

export type SourceErrorCode = (typeof SOURCE_ERROR_CODES)[number];

/**
 * A source gave nothing usable; the caller keeps its last good prefixes. The message names the URL without its query and never a header's
 * value, since both may contain secrets.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** Status of the last answer, if there was one. */
  readonly httpStatus: number | undefined;
  /** Milliseconds that the source asks to wait (RFC 9110 section 10.2.3). */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: SourceErrorCode,
    message: string,
    options: {
      readonly httpStatus?: number;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
  }
}
