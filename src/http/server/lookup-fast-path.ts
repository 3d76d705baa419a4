/**
 * A fast path for what is asked most: the lookup of one address. It stands in front of fastify, whose routing, hooks and replies
 * cost several times what such a lookup does, and serves only what can be answered at once and well: the key was found good a
 * moment ago, the limits leave room, and what the lists hold is in memory and fresh by the rules of every lookup. All else, every
 * refusal too, it leaves to the ordinary way, before it has counted or written anything.
 *
 * What it serves has to be answered by the ordinary way alike, to the last header: the tests ask both the same.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { lookupAddress } from '../../control/lookup/lookup.ts';
import type { LookupState } from '../../control/lookup/lookup-state.ts';
import { parseAddress } from '../../core/address.ts';
import { type Authenticator, hasPermission } from '../admission/authentication.ts';
import { framingProblem } from '../connections/framing.ts';
import { logRequest, type RequestMetrics } from '../metrics/metrics.ts';
import type { RateLimiter, RateLimitFields } from '../admission/rate-limits.ts';
import type { Reads } from '../reads.ts';
import { requestId } from '../request/request-id.ts';
import type { Principal } from '../route.ts';
import { lookupRoute } from '../routes/lists/lookup.ts';

const { path, method, status, permission } = lookupRoute;
/** Plain addresses, with the colon as it is or as most clients escape it. */
const TARGET = /^\/v1\/lookup\?q=((?:[\da-fA-F.:]|%3[aA]){2,100})$/;

const HELP = 'Lookups of addresses that were answered from memory, in front of the routes.';
/** The metric had this name before; dashboards may ask for it still. */
const FORMER_METRIC = 'prefixcast_lookups_short_way_total';

export interface LookupFastPathParts {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly reads: Pick<Reads<unknown>, 'knownRecent'>;
  readonly metrics: RequestMetrics;
  readonly registry: Registry;
  readonly log: Logger;
  /** Of every answer to a request that names no origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isDraining: () => boolean;
}

export class LookupFastPath {
  readonly #parts: LookupFastPathParts;
  readonly #headers: readonly string[];
  readonly #count: (seconds: number) => void;
  #waiting: Ready[] = [];

  constructor(parts: LookupFastPathParts) {
    this.#parts = parts;
    this.#headers = Object.entries(parts.headers).flat();
    const [served, formerName] = ['prefixcast_lookups_fast_path_total', FORMER_METRIC].map(
      (name) => new Counter({ name, help: HELP, registers: [parts.registry] }),
    );
    const count = parts.metrics.of(method, path, status);
    this.#count = (seconds) => {
      served!.inc();
      formerName!.inc();
      count(seconds);
    };
  }

  /** False, with nothing done, if the request is not one for the fast path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const started = performance.now();
    let found: Found | null;
    try {
      found = this.#find(request);
    } catch {
      // The ordinary route meets the same fault, and reports it.
      return false;
    }
    if (found === null) return false;
    const { key, role } = found.principal;
    const limits = this.#parts.limiter.countAllowed(key.id, role, method);
    if (limits === null) return false;
    const waiting = this.#waiting.push({ ...found, request, response, limits, started });
    if (waiting === 1) setImmediate(() => this.#sendAll());
    return true;
  }

  /** Sends what was found for all requests that came at once: each client that sleeps is costly to wake, and few do when many are answered. */
  #sendAll(): void {
    const answers = this.#waiting;
    this.#waiting = [];
    for (const answer of answers) this.#send(answer);
  }

  #send({ request, response, principal, body, limits, started }: Ready): void {
    const { log, isDraining } = this.#parts;
    const id = requestId(request);
    const head = ['x-request-id', id, ...this.#headers];
    for (const field in limits) head.push(field, limits[field]!);
    const bytes = Buffer.byteLength(body);
    head.push('content-type', 'application/json; charset=utf-8', 'content-length', String(bytes));
    if (isDraining()) head.push('connection', 'close');
    response.writeHead(status, head);
    // As one text with its head it is one write, and where all is ASCII, one without looking at each character.
    response.end(body, bytes === body.length ? 'latin1' : 'utf8');
    const milliseconds = performance.now() - started;
    this.#count(milliseconds / 1000);
    if (!log.isLevelEnabled('info')) return;
    const address = request.socket.remoteAddress;
    logRequest(log.child({ request_id: id }), { method, path, status, milliseconds, principal, address });
  }

  #find(request: IncomingMessage): Found | null {
    const { method: asked, url = '', headers, socket } = request;
    const target = asked === method ? TARGET.exec(url) : null;
    if (target === null || headers.authorization === undefined) return null;
    if (framingProblem(request) !== null) return null;
    const isPlain = headers.origin === undefined && headers['content-length'] === undefined;
    if (!isPlain || headers['transfer-encoding'] !== undefined) return null;
    const { authenticator, reads, isDraining } = this.#parts;
    if (isDraining()) return null;
    const principal = authenticator.remembered(headers.authorization, socket);
    if (principal === null || !hasPermission(principal, permission)) return null;
    const state = reads.knownRecent(principal.tenant.id, lookupRoute.operation);
    if (state === undefined) return null;
    const query = target[1]!.replace(/%3a/gi, ':');
    const address = parseAddress(query);
    const body = address.ok ? lookupAddress(state as LookupState, query, address.value) : null;
    return body === null ? null : { principal, body };
  }
}

interface Found {
  readonly principal: Principal;
  readonly body: string;
}

/** An answer that waits to be sent. */
interface Ready extends Found {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly limits: RateLimitFields;
  readonly started: number;
}
