/** Who may enter: the key, its limits, its permission, and room for the body that comes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticator, checkPermission } from '../admission/authentication.ts';
import { Problem } from '../../api/problems/problem.ts';
import { Refusals } from '../admission/refusals.ts';
import type { RateLimiter } from '../admission/rate-limits.ts';
import { ArrivingBodies } from '../connections/arriving-bodies.ts';
import { BodyPace } from '../connections/body-pace.ts';
import { ENROLLING, type Principal, type TenantRoute } from '../route.ts';
import type { createUnknownPathHandler } from './unknown-path.ts';

export interface AdmissionParts {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly answerUnknownPath: ReturnType<typeof createUnknownPathHandler>;
}

export function admitRequests(
  server: FastifyInstance,
  { authenticator, limiter, answerUnknownPath }: AdmissionParts,
): void {
  const bodies = new ArrivingBodies();
  const pace = new BodyPace();
  const refusals = new Refusals();
  server.addHook('onRequest', async (request, reply) => {
    const { route } = request.routeOptions.config;
    // Paths outside the table are answered without looking at keys or bodies; they hold nothing.
    if (request.is404) return answerUnknownPath(request, reply);
    if (route === undefined || route.permission === 'public') return;
    const principal = await authenticator
      .authenticate(request.headers.authorization, request.ip)
      .catch((error: unknown) => {
        throw asEnrollment(error, route);
      });
    request.principal = principal;
    try {
      admit(request, reply, principal, route);
    } catch (error) {
      if (error instanceof Problem && error.code === 'rate_limited') await refusals.hold(principal.tenant.id);
      throw error;
    }
  });
  const admit = (request: FastifyRequest, reply: FastifyReply, principal: Principal, route: TenantRoute) => {
    limiter.countRequest(principal.key.id, principal.role, request.method, (headers) => {
      void reply.headers(headers);
    });
    checkPermission(principal, route.permission);
    route.places?.requireOne(principal.tenant.id);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const giveBack = bodies.hold(principal.tenant.id, expectedLength(request));
      if (reply.raw.closed) giveBack();
      else reply.raw.once('close', giveBack);
    }
  };
  server.addHook('preParsing', (request, _reply, body, done) => {
    if (request.principal !== null) pace.keep(request.principal.tenant.id, request.raw);
    done(null, body);
  });
}

/** Where nodes and firewall clients enroll, no API key is missing, but the token that lets them in. */
function asEnrollment(error: unknown, { permission }: TenantRoute): unknown {
  const isOfKey = error instanceof Problem && error.code === 'unauthenticated';
  if (!ENROLLING.includes(permission) || !isOfKey || error.message.startsWith('The enrollment token'))
    return error;
  const maker =
    permission === 'bgp:node:enroll'
      ? 'POST /v1/speakers/{speaker_id}/enrollment-tokens'
      : 'POST /v1/firewall/enrollment-tokens';
  return new Problem(
    'unauthenticated',
    `An enrollment token is needed here, as \`Authorization: Bearer <enrollment token>\`; what was sent is none, or is not known. Make one: ${maker}.`,
    { cause: error },
  );
}

/** How long the body will be: as its head says, else as long as it may. */
function expectedLength({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  return Math.min(bodyLimit, Number(headers['content-length'] ?? 0));
}
