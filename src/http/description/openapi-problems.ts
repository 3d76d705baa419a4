/** Errors in the API description: which a route may answer with, and how they look. */
import { PROBLEM_HELP } from '../../api/problems/problem-help.ts';
import { PROBLEMS, problemType, type ProblemCode } from '../../api/problems/problem.ts';
import { PROBLEM_MEDIA_TYPE } from '../problem-answer.ts';
import type { Route } from '../route.ts';
import { keepsAnswers } from '../route-rules.ts';
import { EXAMPLE_ID } from './openapi-example.ts';

type Json = Record<string, unknown>;

/** What any request may meet before a route is looked up. */
const OF_CONNECTIONS: readonly ProblemCode[] = ['request_timeout', 'expectation_failed', 'headers_too_large'];

/** Every code a route may answer with: what follows from its shape, and what it names itself. */
export function problemsOf(route: Route): ProblemCode[] {
  const codes = new Set<ProblemCode>(route.problems ?? []);
  const add = (...more: ProblemCode[]): void => more.forEach((code) => codes.add(code));
  add('internal_error', 'shutting_down');
  // All but this wait for each other; see strangers.ts.
  if (route.path !== '/v1/health') add('rate_limited', 'busy');
  if (route.permission !== 'public') {
    add('unauthenticated', 'session_ended', 'forbidden', 'tenant_suspended', 'validation_failed');
    add('database_unavailable');
    if (route.params !== undefined) add('not_found', 'malformed_request');
    if (route.query?.properties.cursor !== undefined) add('invalid_cursor');
    if (route.body !== undefined || route.consumes !== undefined)
      add('payload_too_large', 'unsupported_media_type');
    if (route.method !== 'GET') add('malformed_request', 'csrf_failed');
    if (keepsAnswers(route)) {
      add('idempotency_key_reused', 'idempotency_in_progress');
      // Every change may queue a job.
      add('quota_exceeded');
    }
    if (route.method === 'PATCH' || route.method === 'DELETE') add('precondition_failed');
  }
  return [...codes];
}

/** The answers of a route that are problems, by status. */
export function problemAnswers(route: Route): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(route)) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers = [...byStatus].map(([status, codes]) => [status, answerOf(codes)]);
  const common = OF_CONNECTIONS.map((code) => [
    PROBLEMS[code].status,
    { $ref: `#/components/responses/${code}` },
  ]);
  return Object.fromEntries([...answers, ...common]) as Json;
}

function answerOf(codes: readonly ProblemCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: '#/components/schemas/ProblemDocument' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** For `components.responses`. */
export const PROBLEM_RESPONSES: Json = Object.fromEntries(
  OF_CONNECTIONS.map((code) => [code, answerOf([code])]),
);

/** For `components.examples`: the problems that the routes may answer with. */
export function problemExamples(routes: readonly Route[]): Json {
  const codes = new Set([...routes.flatMap(problemsOf), ...OF_CONNECTIONS]);
  return Object.fromEntries(Array.from(codes, (code) => [code, exampleOf(code)]));
}

function exampleOf(code: ProblemCode): Json {
  const { status, title } = PROBLEMS[code];
  return {
    summary: title,
    value: {
      type: problemType(code),
      title,
      status,
      detail: PROBLEM_HELP[code].example,
      instance: `/v1/modules/${EXAMPLE_ID}`,
      code,
      request_id: EXAMPLE_ID,
    },
  };
}
