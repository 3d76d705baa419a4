/** What the server counts about its requests, and the log line of each. Labels hold route templates, never ids. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { instanceOf } from '../problem-answer.ts';
import type { Principal } from '../route.ts';
import { RequestDurations } from './request-durations.ts';

/** Counts one answer; null where its time says nothing about the service. */
type Count = (seconds: number | null) => void;

export class RequestMetrics {
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: RequestDurations;
  readonly #counts = new Map<string, Count>();
  /** Take over what was counted since somebody read the metrics last. */
  readonly #takeOver: (() => void)[] = [];

  constructor(registry: Registry) {
    const labelNames = ['method', 'route', 'status'] as const;
    this.#requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests answered, by route template and status.',
      labelNames,
      registers: [registry],
      collect: () => {
        for (const takeOver of this.#takeOver) takeOver();
      },
    });
    this.#durations = new RequestDurations(registry);
  }

  /** How to count answers of that kind. Finding the counters of some labels costs more than counting. */
  of(method: string, route: string, status: number): Count {
    const name = `${method} ${route} ${status}`;
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const labels = { method, route, status: String(status) };
    const [requests, observe] = [this.#requests.labels(labels), this.#durations.of(labels)];
    // To add one to a counter takes as long as much of a quick answer.
    let since = 0;
    this.#takeOver.push(() => {
      if (since > 0) requests.inc(since);
      since = 0;
    });
    const count: Count = (seconds) => {
      since++;
      if (seconds !== null) observe(seconds);
    };
    this.#counts.set(name, count);
    return count;
  }
}

/** What the log keeps of a request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly principal: Principal | null;
  readonly address: string | undefined;
}

/** @param log names the request by its id */
export function logRequest(log: Pick<FastifyBaseLogger, 'info'>, answered: AnsweredRequest): void {
  const { method, path, status, milliseconds, principal, address } = answered;
  log.info(
    {
      method,
      path,
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
      key_id: principal?.key.id,
      tenant_id: principal?.tenant.id,
      address,
    },
    'request',
  );
}

export function observeRequests(server: FastifyInstance, metrics: RequestMetrics): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, principal, ip: address } = request;
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    const isEndless = reply.getHeader('content-type') === 'text/event-stream';
    const count = metrics.of(method, request.routeOptions.config.route?.path ?? 'none', status);
    // How long somebody follows events says nothing about the service.
    count(isEndless ? null : milliseconds / 1000);
    logRequest(request.log, { method, path: instanceOf(request), status, milliseconds, principal, address });
    done();
  });
}
