/**
 * The API's vocabulary: schemas, permissions and errors shared by http, cli, agent and console. Pure data; nothing here
 * talks to anything. This file is the closed table of errors (RFC 9457): whoever refuses something throws a Problem.
 */

interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/** Every error code the API answers with. The HTTP description and docs/reference/errors.md are made from this table. */
export const PROBLEMS = {
  malformed_request: { status: 400, title: 'The request could not be read' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this list' },
  unauthenticated: { status: 401, title: 'A valid API key is needed' },
  session_ended: { status: 401, title: 'The session of the browser has ended' },
  forbidden: { status: 403, title: 'The API key may not do this' },
  csrf_failed: { status: 403, title: 'The request does not come from a page of this service' },
  insecure_origin: { status: 403, title: 'A browser keeps a session over HTTPS only' },
  home_tenant_only: { status: 403, title: 'Only the home tenant may do this' },
  guard_loosening_forbidden: { status: 403, title: 'The API key may not loosen this guardrail' },
  role_escalation: { status: 403, title: 'A key cannot create a stronger key' },
  tenant_suspended: { status: 403, title: 'The tenant is not active' },
  not_found: { status: 404, title: 'The resource does not exist' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be served' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The change conflicts with what exists' },
  quota_exceeded: { status: 409, title: 'The tenant has reached its quota' },
  last_super_admin: { status: 409, title: 'The key is the last one that manages tenants' },
  in_use: { status: 409, title: 'Other resources still refer to this one' },
  job_finished: { status: 409, title: 'The job has finished already' },
  revision_not_ready: { status: 409, title: 'The revision cannot be applied' },
  default_route_forbidden: { status: 409, title: 'The revision is a default route, or equivalent to one' },
  coverage_exceeded: { status: 409, title: 'The revision covers too much of the address space' },
  prefix_too_short: { status: 409, title: 'The revision holds a prefix that is too short' },
  bogon_prefix: { status: 409, title: 'The revision holds special-purpose addresses' },
  protected_prefix: { status: 409, title: 'The revision holds protected addresses' },
  max_change_exceeded: { status: 409, title: 'Too much of a source changed by itself' },
  rolled_back: { status: 409, title: 'A rollback took this content back' },
  large_withdrawal: { status: 409, title: 'An edit would withdraw too much from a speaker' },
  max_prefixes_exceeded: { status: 409, title: 'The revision has too many prefixes' },
  tenant_policy: { status: 409, title: 'The policy of the tenant does not allow this' },
  deploy_frozen: { status: 409, title: 'Applies are frozen' },
  maintenance_running: { status: 409, title: 'PostgreSQL is being looked after already' },
  idempotency_in_progress: { status: 409, title: 'A request with this Idempotency-Key is still running' },
  precondition_failed: { status: 412, title: 'The resource has changed since it was read' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  runtime_log_too_large: { status: 413, title: 'The log file is too large to be cleaned at once' },
  unsupported_media_type: { status: 415, title: 'The path does not support the media type of the body' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  validation_failed: { status: 422, title: 'The values are not valid' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  peer_refused_address: { status: 422, title: 'A peer of this tenant may not have this address' },
  source_bad_url: { status: 422, title: 'The URL or its headers are not allowed' },
  source_refused_address: { status: 422, title: 'The URL leads to addresses that are not public' },
  source_unparseable: { status: 422, title: 'The content of the URL could not be read as this list' },
  source_empty: { status: 422, title: 'The content of the URL holds no prefix' },
  source_unreachable: { status: 422, title: 'The source could not be reached' },
  source_timeout: { status: 422, title: 'The source took too long' },
  source_redirect: { status: 422, title: 'The source redirects too often or to a URL that is not allowed' },
  source_http_status: { status: 422, title: 'The source answered with a status other than 200' },
  source_refused_query: { status: 422, title: 'The source of AS numbers refused the question' },
  source_too_large: { status: 422, title: 'The source is larger than a list may be' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The path and the headers are too large' },
  internal_error: { status: 500, title: 'The service failed' },
  apply_failed: { status: 502, title: 'Not every speaker took the revision' },
  canary_failed: { status: 502, title: 'A canary of the apply failed' },
  refresh_failed: { status: 502, title: 'No source of the module could be read' },
  reload_failed: { status: 502, title: 'Not every routing daemon read its configuration again' },
  database_unavailable: { status: 503, title: 'The database does not answer' },
  feed_unavailable: { status: 503, title: 'The feed has no content to serve' },
  busy: { status: 503, title: 'Other requests are using the same resource' },
  runtime_logs_unavailable: { status: 503, title: 'Log files are not served here' },
  shutting_down: { status: 503, title: 'The service is stopping' },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Where the pages of codes are; the service serves them itself. */
export const ERROR_PAGES = '/docs/errors';

/** `type` of a problem: a reference to the page of its code, relative to the service (RFC 9457, section 3.1.1). */
export function problemType(code: ProblemCode): string {
  return `${ERROR_PAGES}/${code}`;
}

/** One fault of a body or query, located by JSON Pointer (RFC 6901) into the body, `?name` for a query parameter, or `line 17` of a file. */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
}

/** A refusal the caller may read. What only the log may keep goes into `cause`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: readonly FieldFault[];
  /** Seconds after which trying again makes sense; answered as Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    options: { errors?: readonly FieldFault[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(detail, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** 422 for one field: what is wrong with it and how to fix it. */
export function fieldProblem(pointer: string, detail: string): Problem {
  return new Problem('validation_failed', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

/** 404 in the one wording that reveals nothing about other tenants. */
export function notFound(noun: string, id: string): Problem {
  return new Problem(
    'not_found',
    `No ${noun} has the id ${JSON.stringify(id.slice(0, 100))}. List them to see which exist.`,
  );
}
