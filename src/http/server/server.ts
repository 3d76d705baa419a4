/** The HTTP server: the table of routes on fastify, with what every request passes on its way. */
import cors from '@fastify/cors';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { Problem } from '../../api/problem.ts';
import type { Version } from '../../api/version.ts';
import type { Config } from '../../config/config.ts';
import { KEYS_CHANNEL } from '../../control/api-keys.ts';
import type { JobQueue } from '../../control/job.ts';
import { DatabaseClock } from '../../store/database/database-clock.ts';
import type { Database } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { ArrivingBodies } from '../arriving-bodies.ts';
import { Authenticator, checkPermission } from '../authentication.ts';
import { BodyPace } from '../body-pace.ts';
import { refuseBrokenRequest } from '../broken-request.ts';
import type { Rendered } from '../answer.ts';
import { endConnectionsInTime } from '../closing.ts';
import { dispatch } from '../dispatch.ts';
import { Door } from '../door.ts';
import { FRAMING_OPTIONS, framingProblem, refuseStrangeRequests } from '../framing.ts';
import { FreshReads } from '../fresh-reads.ts';
import { SharedReads } from '../shared-reads.ts';
import { BundlePolls } from '../bundle-polls.ts';
import { EventStreams } from '../event-streams.ts';
import { JobWaits } from '../job-waits.ts';
import { parseJsonBody } from '../json-body.ts';
import { LookupLane } from './lookup-lane.ts';
import { logRequest, observeRequests, RequestMetrics } from '../metrics/metrics.ts';
import { describeApi } from '../description/openapi.ts';
import { instanceOf, sendProblem } from '../problem-answer.ts';
import { RecentSnapshot } from '../recent-snapshot.ts';
import { RateLimiter } from '../rate-limits.ts';
import { REFERENCE_ASSETS, serveReference } from '../reference/reference.ts';
import { requestId } from '../request-id.ts';
import { ROUTES } from './route-table.ts';
import type { Principal, Route, Services } from '../route.ts';
import { observeState } from '../metrics/state-metrics.ts';
import { securityHeaders } from '../security-headers.ts';
import { createUnknownPathHandler } from '../unknown-path.ts';

export interface ServerDependencies {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  readonly fetch: Services['fetch'];
  readonly peerAllow: Services['peerAllow'];
  readonly http: Config['http'];
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly version: Version;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the table that is being served. */
    route?: Route;
  }
  interface FastifyRequest {
    principal: Principal | null;
  }
}

const MEBIBYTE = 1024 * 1024;
/** Bytes that take more than a moment to parse. */
const LONG_BODY = 64 * 1024;
/** Of the ten connections of a process to the database. */
const NODES_AT_ONCE = 4;
const CORS_REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Request-Id',
  'X-Tenant-Id',
];
const CORS_ANSWER_HEADERS = [
  'ETag',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'Idempotency-Replayed',
];

/** Makes the server; it listens once its caller says `listen`. Closing lets running requests end and refuses new ones. */
export async function createServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { db, queue, secrets, http, metrics, version } = dependencies;
  const log = requestLogger(dependencies.logger);
  const loggerInstance: FastifyBaseLogger = log;
  const always = { ...securityHeaders(http.publicUrl), 'cache-control': 'no-store' };
  const server = Fastify({
    loggerInstance,
    // metrics.ts writes the one line that a request gets.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    bodyLimit: MEBIBYTE,
    // A client that drips its request holds a socket no longer than this.
    requestTimeout: 60_000,
    // Fastify's own answer while closing is no problem document; the hook below gives one.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // What is too long for an id is answered by its route, as every other unknown id is; headers with the path have 16 KiB.
    routerOptions: { maxParamLength: 16 * 1024, ignoreTrailingSlash: false },
    http: FRAMING_OPTIONS,
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id).headers(always);
      sendProblem(error, request, reply);
      const { method, ip: address } = request;
      logRequest(request.log, {
        ...{ method, path: instanceOf(request), status: reply.statusCode },
        ...{ milliseconds: reply.elapsedTime, principal: null, address },
      });
    },
  });

  let draining = false;
  const events = new EventStreams(db, server.log);
  const bundles = new BundlePolls(db, secrets, server.log);
  const jobs = new JobWaits(db, server.log);
  const clock = new DatabaseClock(db);
  void clock.learn();
  server.addHook('preClose', () => {
    draining = true;
    events.close();
    bundles.close();
    jobs.close();
    return Promise.resolve();
  });
  endConnectionsInTime(server);
  server.decorateRequest('principal', null);
  refuseStrangeRequests(server.server);
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).headers(always);
    const unframed = framingProblem(request.raw);
    if (unframed !== null) return done(unframed);
    if (!draining || request.routeOptions.config.route?.path === '/v1/health') done();
    else
      done(
        new Problem('shutting_down', 'The service is stopping. Try again in a moment.', { retryAfter: 2 }),
      );
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    // Nodes judge by it what has expired, and that is issued by the clock of the database.
    const time = request.principal?.role === 'node' ? clock.now() : null;
    if (time !== null) void reply.header('date', time.toUTCString());
    // A connection that stays open would keep the server from closing.
    if (draining) void reply.header('connection', 'close');
    done(null, payload);
  });
  const requestMetrics = new RequestMetrics(metrics);
  observeRequests(server, requestMetrics);
  observeState(db, metrics, server.log);
  if (http.corsOrigins.length > 0)
    await server.register(cors, {
      origin: http.corsOrigins.includes('*') ? '*' : [...http.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: CORS_REQUEST_HEADERS,
      exposedHeaders: CORS_ANSWER_HEADERS,
      maxAge: 600,
      strictPreflight: false,
    });

  const pages = REFERENCE_ASSETS.map(({ path }) => ({ method: 'GET', path }));
  const answerUnknownPath = createUnknownPathHandler([...ROUTES, ...pages]);
  const limiter = new RateLimiter(http.rateLimits);
  const authenticator = new Authenticator(db, limiter);
  const bodies = new ArrivingBodies();
  const pace = new BodyPace();
  const door = new Door();
  const changes = db.listen(KEYS_CHANNEL, () => authenticator.forget());
  server.addHook('onClose', () => {
    clock.close();
    return changes.close();
  });
  server.addHook('onRequest', async (request, reply) => {
    const { route } = request.routeOptions.config;
    // Paths outside the table are answered without looking at keys or bodies; they hold nothing.
    if (request.is404) return answerUnknownPath(request, reply);
    if (route === undefined || route.permission === 'public') return;
    const principal = await authenticator.authenticate(request.headers.authorization, request.ip);
    request.principal = principal;
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
  });
  server.addHook('preParsing', (request, _reply, body, done) => {
    if (request.principal !== null) pace.keep(request.principal.tenant.id, request.raw);
    done(null, body);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer) => {
      refuseMediaType(request, undefined);
      const parse = (): Promise<unknown> => Promise.resolve(parseJsonBody(body));
      return body.length < LONG_BODY ? parse() : door.enter(request.principal!.tenant.id, parse);
    },
  );
  server.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    refuseMediaType(request, 'text/csv');
    return Promise.resolve(body);
  });
  server.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  server.setNotFoundHandler(answerUnknownPath);

  const services: Services = {
    db,
    queue,
    secrets,
    fetch: dependencies.fetch,
    peerAllow: dependencies.peerAllow,
    metrics,
    version,
    events,
    bundles,
    jobs,
    authenticateAgain: (authorization) => authenticator.authenticateAgain(authorization),
    describe: describedOnce(version),
    isDraining: () => draining,
  };
  const snapshots = new SharedReads<string>();
  const snapshot = (): Promise<string> => snapshots.read('', () => db.snapshot());
  const recent = new RecentSnapshot(snapshot);
  const shared = {
    services,
    reads: new FreshReads<Rendered>(snapshot),
    states: new FreshReads<unknown>(() => recent.read()),
    recent,
    door,
    nodeTurns: new Semaphore(NODES_AT_ONCE),
    routes: ROUTES,
  };
  for (const route of ROUTES)
    server.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { route },
      handler: dispatch(route, shared),
      ...(route.permission !== 'public' && route.bodyLimit !== undefined
        ? { bodyLimit: route.bodyLimit }
        : {}),
    });
  serveReference(server);
  const lane = new LookupLane({
    authenticator,
    limiter,
    recent,
    states: shared.states,
    metrics: requestMetrics,
    registry: metrics,
    log,
    headers: { ...always, ...corsHeaders(http.corsOrigins) },
    isDraining: services.isDraining,
  });
  lane.standBefore(server.server);
  return server;
}

/** The description of the API, made when it is asked for first: most processes are never asked, and it takes a tenth of a second. */
function describedOnce(version: Version): () => string {
  let description: string | undefined;
  return () => (description ??= JSON.stringify(describeApi(ROUTES, version)));
}

/** What @fastify/cors adds to the answer to a request that names no origin. */
function corsHeaders(origins: readonly string[]): Readonly<Record<string, string>> {
  if (origins.length === 0) return {};
  return {
    ...(origins.includes('*') ? { 'access-control-allow-origin': '*' } : { vary: 'Origin' }),
    'access-control-expose-headers': CORS_ANSWER_HEADERS.join(', '),
  };
}

/** How long the body will be: as its head says, else as long as it may. */
function expectedLength({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  return Math.min(bodyLimit, Number(headers['content-length'] ?? 0));
}

/** @param sent undefined stands for JSON, as in the table of routes */
function refuseMediaType(request: FastifyRequest, sent: 'text/csv' | undefined): void {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
  const { route } = request.routeOptions.config;
  const wanted = route === undefined || route.permission === 'public' ? undefined : route.consumes;
  if (wanted !== sent)
    throw new Problem(
      'unsupported_media_type',
      `Send the body as \`Content-Type: ${wanted ?? 'application/json'}\`.`,
    );
}

/** Headers are not logged at all; this is for what a fault may carry along. */
function requestLogger(logger: Logger): Logger {
  const secrets = [
    'authorization',
    'headers.authorization',
    '*.headers.authorization',
    '*.password',
    '*.secret',
  ];
  return logger.child({ component: 'http' }, { redact: secrets });
}
