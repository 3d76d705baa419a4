/** What the server counts about its requests, and the log line of each. Labels hold route templates, never ids. */
import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { instanceOf } from './problem-answer.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function observeRequests(server: FastifyInstance, registry: Registry): void {
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route template and status.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  const counting = new Map<string, (seconds: number | null) => void>();
  /** Finding the counters of some labels costs more than counting. */
  const counterOf = (method: string, route: string, status: string): ((seconds: number | null) => void) => {
    const labels = { method, route, status };
    const [count, duration] = [requests.labels(labels), durations.labels(labels)];
    return (seconds) => {
      count.inc();
      if (seconds !== null) duration.observe(seconds);
    };
  };
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.config.route?.path ?? 'none';
    const name = `${request.method} ${route} ${reply.statusCode}`;
    const count = counting.get(name) ?? counterOf(request.method, route, String(reply.statusCode));
    counting.set(name, count);
    // How long somebody follows events says nothing about the service.
    count(reply.getHeader('content-type') === 'text/event-stream' ? null : reply.elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        path: instanceOf(request),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        key_id: request.principal?.key.id,
        tenant_id: request.principal?.tenant.id,
        address: request.ip,
      },
      'request',
    );
    done();
  });
}
