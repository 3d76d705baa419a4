/** The routes that need no key: health, readiness, version, metrics, and the description of the API. */
import { Type } from 'typebox';
import { Problem } from '../../../api/problems/problem.ts';
import { ApiDescription, Health, Readiness, Version } from '../../../api/operation/version.ts';
import type { Answer, PublicRoute, Services } from '../../route.ts';

async function ready({ db, isDraining }: Pick<Services, 'db' | 'isDraining'>): Promise<Answer> {
  if (isDraining())
    throw new Problem('shutting_down', 'The service is stopping. Ask another one.', { retryAfter: 2 });
  const start = performance.now();
  // ping() has a deadline of its own and throws `database_unavailable`.
  await db.ping();
  const milliseconds = Math.round((performance.now() - start) * 10) / 10;
  return { body: { status: 'ready', checks: { database: { ok: true, milliseconds } } } satisfies Readiness };
}

const version = {
  method: 'GET',
  permission: 'public',
  tag: 'service',
  summary: 'Read name and version of the service',
  status: 200,
  response: Version,
  handler: (services) => Promise.resolve({ body: services.version }),
} as const satisfies Omit<PublicRoute, 'path' | 'operation'>;

export const serviceRoutes: readonly PublicRoute[] = [
  {
    method: 'GET',
    path: '/v1/health',
    operation: 'getHealth',
    permission: 'public',
    tag: 'service',
    summary: 'Check that the process runs',
    description: 'Checks nothing else, so that a failing database does not get the process killed.',
    status: 200,
    response: Health,
    handler: () => Promise.resolve({ body: { status: 'ok' } }),
  },
  {
    method: 'GET',
    path: '/v1/ready',
    operation: 'getReadiness',
    permission: 'public',
    tag: 'service',
    summary: 'Check that requests can be served',
    description:
      'Queries the database, with a deadline of its own. After a write that found the disk full, also checks whether there is space again.',
    status: 200,
    response: Readiness,
    problems: ['database_unavailable', 'shutting_down'],
    handler: ready,
  },
  { ...version, path: '/v1/version', operation: 'getVersion' },
  { ...version, path: '/version', operation: 'getRootVersion' },
  {
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    permission: 'public',
    tag: 'service',
    summary: 'Read metrics in the Prometheus format',
    description:
      'Without a key: what concerns the process and sums over all tenants; as long as there is one tenant and `APP_METRICS_LISTEN` is not set, what names its speakers, peers and modules as well. To a key that may read tenants (`tenants:read`): all.',
    takesKey: true,
    status: 200,
    response: Type.String(),
    streams: ['text/plain'],
    problems: ['unauthenticated', 'tenant_suspended', 'rate_limited'],
    handler: ({ readMetrics }, principal) => readMetrics(principal),
  },
  {
    method: 'GET',
    path: '/v1/openapi.json',
    operation: 'getDescription',
    permission: 'public',
    tag: 'service',
    summary: 'Read this description (OpenAPI 3.1)',
    status: 200,
    response: ApiDescription,
    isCompressed: true,
    handler: ({ describe }) =>
      Promise.resolve({
        ...describe(),
        mediaType: 'application/json',
        headers: { 'cache-control': 'no-cache' },
      }),
  },
];
