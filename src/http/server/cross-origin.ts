/** Pages of other origins that may ask the API (the Fetch standard's CORS protocol). */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const REQUEST_HEADERS = [
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
const ANSWER_HEADERS = [
  'Accept-Patch',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'Idempotency-Replayed',
];

/** @param origins of `APP_CORS_ORIGINS`; `*` stands for any */
export async function allowOrigins(server: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await server.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
}

/** What {@link allowOrigins} adds to the answer to a request that names no origin. */
export function headersWithoutOrigin(origins: readonly string[]): Readonly<Record<string, string>> {
  if (origins.length === 0) return {};
  return {
    ...(origins.includes('*') ? { 'access-control-allow-origin': '*' } : { vary: 'Origin' }),
    'access-control-expose-headers': ANSWER_HEADERS.join(', '),
  };
}
