/** `/metrics` and `/v1/health` of a process that has no API, or beside it: APP_METRICS_LISTEN. */
import { createServer, type ServerResponse } from 'node:http';
import { StartFault } from '../../config/environment.ts';
import type { Endpoint } from '../../config/environment.ts';
import type { MetricsText } from './scrapes.ts';

/** Where it answers, and how it is stopped. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers from now on. @throws {StartFault} when it cannot listen there */
export async function serveMetrics({ host, port }: Endpoint, registry: MetricsText): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = (request.url ?? '').split('?', 1)[0]!;
    if (path !== '/metrics' && path !== '/v1/health')
      return problem(
        response,
        404,
        'not_found',
        'Not found',
        'Here are /metrics and /v1/health, and nothing else.',
      );
    if (!isRead) {
      response.setHeader('allow', 'GET, HEAD');
      return problem(
        response,
        405,
        'method_not_allowed',
        'Method not allowed',
        `${path} is there to be read: send GET.`,
      );
    }
    if (path === '/v1/health')
      return send(response, 200, 'application/json; charset=utf-8', '{"status":"ok"}');
    registry.metrics().then(
      (text) => send(response, 200, registry.contentType, text),
      () =>
        problem(
          response,
          500,
          'internal_error',
          'Internal error',
          'The metrics could not be read. Ask again.',
        ),
    );
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new StartFault(
          `APP_METRICS_LISTEN=${formatEndpoint(host, port)} cannot be listened on: ${error.message}. Set it to an address of this machine and a free port, or unset it.`,
          { cause: error },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as { port: number };
  return {
    url: `http://${formatEndpoint(host, bound)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function formatEndpoint(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function problem(
  response: ServerResponse,
  status: number,
  code: string,
  title: string,
  detail: string,
): void {
  // The pages of codes are at the API, not here (RFC 9457, section 4.2.1).
  const type = 'about:blank';
  send(response, status, 'application/problem+json', JSON.stringify({ type, title, status, detail, code }));
}
