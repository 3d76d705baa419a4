/** Turns any thrown value into the one error format of the API: application/problem+json (RFC 9457). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEMS, Problem, problemType } from '../api/problems/problem.ts';
import { bodyTypesOf } from './route-rules.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Faults that fastify finds around a handler, by its code, in words of this API. */
const FRAMEWORK_FAULTS: Readonly<Record<string, (error: Error) => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (cause) =>
    new Problem(
      'payload_too_large',
      'The body is larger than this path takes. Send less at once; lists of entries take up to 16 MiB, files of entries 64 MiB.',
      { cause },
    ),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) =>
    new Problem(
      'unsupported_media_type',
      'Send the body as `Content-Type: application/json`, or a file of entries as `text/csv`.',
      { cause },
    ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (cause) =>
    new Problem('malformed_request', 'The body is shorter or longer than its Content-Length says.', {
      cause,
    }),
  FST_ERR_BAD_URL: (cause) =>
    new Problem(
      'malformed_request',
      'The path has a % that two hexadecimal digits do not follow. Write it as %25.',
      {
        cause,
      },
    ),
  // A stream that nobody began to read in time: see live/sent-events.ts.
  ERR_STREAM_PREMATURE_CLOSE: (cause) =>
    new Problem('busy', 'The answer could not begin in time. Ask again in a moment.', {
      cause,
      retryAfter: 1,
    }),
};

/** Faults of the service. The others with such a status are states that callers meet, and of which the log says nothing with each request. */
const FAULTS: ReadonlySet<Problem['code']> = new Set(['internal_error', 'database_unavailable']);

/** The error for the caller; a fault that is not a Problem stays in the log. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const known = error instanceof Error && 'code' in error ? FRAMEWORK_FAULTS[String(error.code)] : undefined;
  if (known !== undefined) return known(error as Error);
  if (isAbortedBody(error))
    return new Problem('malformed_request', 'The connection ended before the body did.', { cause: error });
  return new Problem(
    'internal_error',
    'The service failed at this request. Try again; if it fails again, report the request_id to its operator.',
    { cause: error },
  );
}

/** Fastify gives the fault of a body's stream this status; faults of our own have none. */
function isAbortedBody(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 400;
}

/** The body of a problem answer. */
export function problemBody(problem: Problem, requestId: string, instance: string): string {
  const { code, message, status, errors } = problem;
  return JSON.stringify({
    type: problemType(code),
    title: PROBLEMS[code].title,
    status,
    detail: message,
    instance,
    code,
    request_id: requestId,
    ...(errors.length > 0 ? { errors } : {}),
  });
}

/** Headers that a problem brings beside its body. */
export function problemHeaders(problem: Problem): Record<string, string> {
  return {
    'content-type': PROBLEM_MEDIA_TYPE,
    ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(problem.retryAfter === undefined ? {} : { 'retry-after': String(problem.retryAfter) }),
  };
}

/** The path asked for, without its query. */
export function instanceOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (FAULTS.has(problem.code))
    request.log.error({ err: problem.cause ?? problem, code: problem.code }, problem.message);
  // If a token must be sent in another way, the header says so.
  const challenge = reply.getHeader('www-authenticate');
  if (problem.status === 415) namePatchTypes(request, reply);
  return reply
    .code(problem.status)
    .headers({
      ...problemHeaders(problem),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    })
    .send(Buffer.from(problemBody(problem, request.id, instanceOf(request))));
}

/** RFC 5789, section 2.2. */
function namePatchTypes({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const { route } = routeOptions.config;
  if (route?.method === 'PATCH') void reply.header('accept-patch', bodyTypesOf(route).join(', '));
}
