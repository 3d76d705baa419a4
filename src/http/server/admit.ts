/** Who may enter: the key or session, its limits, its permission, and room for the body that comes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticator, checkPermission } from '../admission/authentication.ts';
import { Problem } from '../../api/problems/problem.ts';
import { firstGood } from '../admission/first-good.ts';
import { Refusals } from '../admission/refusals.ts';
import type { RateLimiter } from '../admission/rate-limits.ts';
import { ArrivingBodies } from '../connections/arriving-bodies.ts';
import { BodyPace } from '../connections/body-pace.ts';
import { CSRF_HEADER } from '../../api/access/session-headers.ts';
import { SessionOpen } from '../../api/access/session.ts';
import {
  type Credential,
  keyCredential,
  keyIn,
  readCredentials,
  sessionCookiesOf,
  signInCredential,
} from '../request/credentials.ts';
import { isCsrfToken } from '../request/csrf-token.ts';
import type { SessionCookies } from '../request/session-cookies.ts';
import { compileBody } from '../request/validation.ts';
import type { Principal, TenantRoute } from '../route.ts';
import { ENROLLING } from '../route-rules.ts';
import type { createUnknownPathHandler } from './unknown-path.ts';

const checkSignIn = compileBody(SessionOpen, []);
const readSignIn = (body: unknown): SessionOpen => checkSignIn(body ?? {}) as SessionOpen;

export interface AdmissionParts {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly answerUnknownPath: ReturnType<typeof createUnknownPathHandler>;
  /** `APP_PUBLIC_URL` */
  readonly publicUrl: string | null;
}

export function admitRequests(
  server: FastifyInstance,
  { authenticator, limiter, answerUnknownPath, publicUrl }: AdmissionParts,
): void {
  const bodies = new ArrivingBodies();
  const pace = new BodyPace();
  const refusals = new Refusals();
  server.addHook('onRequest', async (request, reply) => {
    const { route } = request.routeOptions.config;
    // Paths outside the table are answered without looking at keys or bodies; they hold nothing.
    if (request.is404) return answerUnknownPath(request, reply);
    if (route === undefined) return;
    if (route.permission === 'public') {
      if (route.takesKey === true) await lookAtKey(request, reply);
      return;
    }
    const cookies = sessionCookiesOf(request, publicUrl);
    if (route.keyInBody === true) return requireOwnPage(request, cookies);
    await enter(request, reply, route, () =>
      readCredentials(request.headers, cookies, route.isOfBrowser === true),
    );
  });
  server.addHook('preHandler', async (request, reply) => {
    const { route } = request.routeOptions.config;
    if (route === undefined || route.permission === 'public' || route.keyInBody !== true) return;
    await enter(request, reply, route, () => [signInCredential(readSignIn(request.body).api_key)]);
  });
  /** Nobody is kept out for having no key; a wrong key is answered with 401. What else the header may have is for a proxy. */
  const lookAtKey = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const key = keyIn(request.headers.authorization ?? '');
    if (key === null) return;
    try {
      const principal = await authenticateAny(request, () => [keyCredential(key)]);
      countRequest(request, reply, principal);
    } catch (error) {
      // What needs no key is answered without a database too.
      if (!(error instanceof Problem) || error.code !== 'database_unavailable') throw error;
    }
  };
  const countRequest = (request: FastifyRequest, reply: FastifyReply, { key, role }: Principal): void => {
    limiter.countRequest(key.id, role, request.method, (name, value) => void reply.header(name, value));
  };
  /** @param read what the request shows; the first that is good lets it in */
  const enter = async (
    request: FastifyRequest,
    reply: FastifyReply,
    route: TenantRoute,
    read: () => readonly Credential[],
  ): Promise<void> => {
    const principal = await authenticateAny(request, read).catch((error: unknown) => {
      throw asEnrollment(error, route);
    });
    try {
      admit(request, reply, principal, route);
    } catch (error) {
      if (error instanceof Problem && error.code === 'rate_limited') await refusals.hold(principal.tenant.id);
      throw error;
    }
  };
  const authenticateAny = async (
    request: FastifyRequest,
    read: () => readonly Credential[],
  ): Promise<Principal> => {
    const { credential, principal } = await firstGood(read(), (one) =>
      authenticator.authenticate(one, request.ip),
    );
    request.credential = credential;
    return (request.principal = principal);
  };
  const admit = (request: FastifyRequest, reply: FastifyReply, principal: Principal, route: TenantRoute) => {
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    countRequest(request, reply, principal);
    checkPermission(principal, route.permission);
    if (changes && principal.browserSession !== null) requireCsrfToken(request);
    route.places?.requireOne(principal.tenant.id);
    if (changes && route.keyInBody !== true) {
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

/** @throws {Problem} `csrf_failed` */
function requireCsrfToken({ headers, credential }: FastifyRequest): void {
  if (isCsrfToken(credential!.text, headers[CSRF_HEADER.toLowerCase()])) return;
  throw new Problem(
    'csrf_failed',
    `A write with the cookie of a session needs the session's token in the header ${CSRF_HEADER}; GET /v1/auth/session answers it as browser_session.csrf_token.`,
  );
}

/**
 * Nobody is signed in by a page of somebody else, nor where the browser would throw the cookie away.
 * @throws {Problem} `csrf_failed`, `insecure_origin`
 */
function requireOwnPage({ headers }: FastifyRequest, { isSecure }: SessionCookies): void {
  // Browsers say so; other clients have nothing to be protected from.
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none')
    throw new Problem(
      'csrf_failed',
      'Another site asks to sign this browser in. Open the console by its own address, and sign in there.',
    );
  if (isSecure && headers.origin?.startsWith('http:') === true)
    throw new Problem(
      'insecure_origin',
      'Browsers keep a session over HTTPS only, except on the machine itself. Open the console by HTTPS (a reverse proxy and APP_PUBLIC_URL), or by http://localhost.',
    );
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
