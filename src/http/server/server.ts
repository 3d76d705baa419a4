/** The HTTP server: the table of routes on fastify, with what every request passes on its way. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { isMachine } from '../../api/access/permissions.ts';
import type { Version } from '../../api/operation/version.ts';
import type { Config } from '../../config/config.ts';
import { KEYS_CHANNEL } from '../../control/access/api-keys.ts';
import type { JobQueue } from '../../control/job.ts';
import { DatabaseClock } from '../../store/database/database-clock.ts';
import type { Database } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { Authenticator } from '../admission/authentication.ts';
import { refuseBrokenRequest } from '../connections/broken-request.ts';
import type { Credential } from '../request/credentials.ts';
import { endConnectionsInTime } from '../connections/closing.ts';
import { CONSOLE_PATHS, serveConsole } from '../console/console.ts';
import { dispatch, type Shared } from '../dispatch/dispatch.ts';
import { carryOutChanges, planChanges, plannableRoutes } from '../dispatch/planning.ts';
import { Door } from '../admission/door.ts';
import { admitStrangers } from '../admission/strangers.ts';
import { oneByOne } from '../connections/one-by-one.ts';
import { FRAMING_OPTIONS, framingProblem, refuseStrangeRequests } from '../connections/framing.ts';
import { BundlePolls } from '../live/bundle-polls.ts';
import { EventStreams } from '../live/event-streams.ts';
import { JobWaits } from '../live/job-waits.ts';
import { LogStreams } from '../live/log-streams.ts';
import { RulesetPolls } from '../live/ruleset-polls.ts';
import { logRequest, observeRequests, RequestMetrics } from '../metrics/metrics.ts';
import { describeApi } from '../description/openapi.ts';
import { entityTag } from '../etag.ts';
import { instanceOf, sendProblem } from '../problem-answer.ts';
import { type KeptAnswer, Reads } from '../reads.ts';
import { RateLimiter } from '../admission/rate-limits.ts';
import { LongRequests } from '../admission/long-requests.ts';
import { ERROR_PAGE_PATHS, serveErrorPages } from '../reference/error-pages.ts';
import { REFERENCE_ASSETS, serveReference } from '../reference/reference.ts';
import { requestId } from '../request/request-id.ts';
import type { Principal, Route, Services } from '../route.ts';
import { bodyTypesOf } from '../route-rules.ts';
import { type ProcessMetrics, Scrapes } from '../metrics/scrapes.ts';
import { observeState } from '../metrics/state-metrics.ts';
import { admitRequests } from './admit.ts';
import { parseBodies } from './bodies.ts';
import { allowOrigins, headersWithoutOrigin } from './cross-origin.ts';
import { Draining } from './draining.ts';
import { FastAnswers } from './fast-answers.ts';
import { FEED_PATH, FeedServer } from './feed-server.ts';
import { LookupFastPath } from './lookup-fast-path.ts';
import { RepeatedReads } from './repeated-reads.ts';
import { ROUTES } from './route-table.ts';
import { securityHeaders } from './security-headers.ts';
import { createUnknownPathHandler } from './unknown-path.ts';

export interface ServerDependencies {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  readonly fetch: Services['fetch'];
  readonly asnSource: Services['asnSource'];
  readonly peerReach: Services['peerReach'];
  readonly drivenDaemons: Services['drivenDaemons'];
  readonly logs: Services['logs'];
  readonly http: Config['http'];
  readonly logger: Logger;
  readonly metrics: ProcessMetrics;
  readonly version: Version;
  /** When it began, on the steady clock; left out: long ago. */
  readonly startedAt?: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the table that is being served. */
    route?: Route;
  }
  interface FastifyRequest {
    principal: Principal | null;
    /** By what the principal was let in. */
    credential: Credential | null;
  }
}

const MEBIBYTE = 1024 * 1024;
/** A client that drips its request holds a socket no longer than this. */
const REQUEST_MILLISECONDS = 60_000;
/** Longer than the proxies in front of a service keep theirs, so that none sends into a connection that is being closed. */
const IDLE_MILLISECONDS = 72_000;
/** Of the ten connections of a process to the database. */
const NODES_AT_ONCE = 4;

/** Makes the server; it listens once its caller says `listen`. Closing lets running requests end and refuses new ones. */
export async function createServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { db, queue, secrets, http, metrics, version } = dependencies;
  const log = requestLogger(dependencies.logger);
  const always = { ...securityHeaders(http.publicUrl), 'cache-control': 'no-store' };
  const requestMetrics = new RequestMetrics(metrics.sums);
  const scrapes = new Scrapes(db, metrics);
  const limiter = new RateLimiter(http.rateLimits);
  const authenticator = new Authenticator(db, limiter);
  const draining = new Draining();
  const reads = new Reads<KeptAnswer>(() => db.snapshot());
  const answers = new FastAnswers({
    ...{ authenticator, limiter, log },
    headers: { ...always, ...headersWithoutOrigin(http.corsOrigins) },
    isDraining: () => draining.isDraining,
  });
  const fast = { answers, reads, metrics: requestMetrics, registry: metrics.sums };
  const feeds = new FeedServer({
    ...{ db, limiter, reads, answers, metrics: requestMetrics, named: metrics.named },
    onFault: (error) => log.warn({ err: error }, 'could not write down who fetched feeds'),
  });
  const server = makeServer(log, always, [new LookupFastPath(fast), feeds, new RepeatedReads(fast)]);
  const live = {
    events: new EventStreams(db, server.log),
    bundles: new BundlePolls(db, secrets, server.log),
    rulesets: new RulesetPolls(db, secrets, server.log),
    jobs: new JobWaits(db, server.log),
    logStreams: new LogStreams(server.log),
  };
  const door = new Door();
  const carrier = { routes: plannableRoutes(ROUTES), isShared: () => door.isShared };
  const pages = [
    ...REFERENCE_ASSETS.map(({ path }) => path),
    ...ERROR_PAGE_PATHS,
    ...CONSOLE_PATHS,
    FEED_PATH,
  ].map((path) => ({
    method: 'GET',
    path,
  }));
  const answerUnknownPath = createUnknownPathHandler([
    ...ROUTES.map((route) => ({ ...route, bodyTypes: bodyTypesOf(route) })),
    ...pages,
  ]);

  // Hooks run in the order in which they are added here.
  server.decorateRequest('principal', null);
  server.decorateRequest('credential', null);
  refuseStrangeRequests(server.server);
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).headers(always);
    done(framingProblem(request.raw) ?? undefined);
  });
  draining.mount(server, Object.values(live));
  endConnectionsInTime(server);
  dateAnswersOfNodes(server, db);
  observeRequests(server, requestMetrics);
  observeState(db, metrics.sums, server.log);
  await allowOrigins(server, http.corsOrigins);
  admitStrangers(server);
  admitRequests(server, { authenticator, limiter, answerUnknownPath, publicUrl: http.publicUrl });
  const changes = db.listen(KEYS_CHANNEL, () => authenticator.forget());
  server.addHook('onClose', () => changes.close());
  parseBodies(server, door);
  server.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  server.setNotFoundHandler(answerUnknownPath);

  mountRoutes(server, {
    services: {
      ...{ db, queue, secrets, version, ...live, publicUrl: http.publicUrl },
      fetch: dependencies.fetch,
      asnSource: dependencies.asnSource,
      peerReach: dependencies.peerReach,
      drivenDaemons: dependencies.drivenDaemons,
      logs: dependencies.logs,
      authenticateAgain: (credential) => authenticator.authenticateAgain(credential),
      forgetKeys: () => authenticator.forget(),
      describe: describedOnce(version, http.publicUrl),
      plan: (request, changes) => planChanges(carrier, request, changes),
      carryOut: (request, changes) => carryOutChanges(carrier, request, changes),
      uptimeSeconds: () => (performance.now() - (dependencies.startedAt ?? -Infinity)) / 1_000,
      isDraining: () => draining.isDraining,
      readMetrics: (principal) => scrapes.read(principal),
    },
    reads,
    door,
    nodeTurns: new Semaphore(NODES_AT_ONCE),
    longRequests: new LongRequests(door),
  });
  serveReference(server);
  serveErrorPages(server);
  serveConsole(server, answerUnknownPath);
  feeds.mount(server);
  return server;
}

/** Serves some requests in front of fastify. */
interface FastPath {
  /** @param ordinary serves the request if it is found later that this does not */
  serve(request: IncomingMessage, response: ServerResponse, ordinary: RequestListener): boolean;
}

/** Fastify behind the fast paths, on a server of node that leaves refusals to it. */
function makeServer(
  log: Logger,
  always: Readonly<Record<string, string>>,
  fastPaths: readonly FastPath[],
): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log;
  return Fastify({
    loggerInstance,
    // metrics.ts writes the one line that a request gets.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    bodyLimit: MEBIBYTE,
    // Fastify's own answer while closing is no problem document; draining.ts gives one.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // What is too long for an id is answered by its route, as every other unknown id is; headers with the path have 16 KiB.
    routerOptions: { maxParamLength: 16 * 1024, ignoreTrailingSlash: false },
    serverFactory: (handler) => {
      const serve = oneByOne((request, response) => {
        if (!fastPaths.some((path) => path.serve(request, response, handler))) handler(request, response);
      });
      const server = createHttpServer(FRAMING_OPTIONS, serve);
      server.requestTimeout = REQUEST_MILLISECONDS;
      server.keepAliveTimeout = IDLE_MILLISECONDS;
      return server;
    },
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
}

/** Nodes judge by the date what has expired, and that is issued by the clock of the database. */
function dateAnswersOfNodes(server: FastifyInstance, db: Database): void {
  const clock = new DatabaseClock(db);
  void clock.learn();
  server.addHook('onSend', (request, reply, payload, done) => {
    const role = request.principal?.role;
    const time = role !== undefined && isMachine(role) ? clock.now() : null;
    if (time !== null) void reply.header('date', time.toUTCString());
    done(null, payload);
  });
  server.addHook('onClose', () => {
    clock.close();
    return Promise.resolve();
  });
}

function mountRoutes(server: FastifyInstance, parts: Shared): void {
  for (const route of ROUTES)
    server.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { route },
      handler: dispatch(route, parts),
      ...(route.permission !== 'public' && route.bodyLimit !== undefined
        ? { bodyLimit: route.bodyLimit }
        : {}),
    });
}

/** The description of the API, made when it is asked for first: most processes are never asked, and it takes a tenth of a second. */
function describedOnce(version: Version, publicUrl: string | null): Services['describe'] {
  let description: ReturnType<Services['describe']> | undefined;
  return () => {
    if (description !== undefined) return description;
    const text = JSON.stringify(describeApi(ROUTES, version, publicUrl));
    return (description = { text, etag: entityTag(1, text) });
  };
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
