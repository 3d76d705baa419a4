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
  server.addHook('onResponse', (request, reply, done) => {
    const { route } = request.routeOptions.config;
    const labels = { method: request.method, route: route?.path ?? 'none', status: String(reply.statusCode) };
    requests.inc(labels);
    durations.observe(labels, reply.elapsedTime / 1000);
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
