/**
 * `GET /docs`: the description of the API as a page to read, made by Redoc in the browser from `/v1/openapi.json`. The page and its files are
 * part of the service, and load nothing from elsewhere. They are read and compressed when somebody asks for them first.
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { digestOf, sendStoredFile, type StoredFile } from '../stored-file.ts';

interface Asset {
  readonly path: string;
  readonly file: string;
  readonly mediaType: string;
}

const SCRIPT = 'text/javascript; charset=utf-8';

export const REFERENCE_ASSETS: readonly Asset[] = [
  { path: '/docs', file: 'index.html', mediaType: 'text/html; charset=utf-8' },
  { path: '/docs/style.css', file: 'style.css', mediaType: 'text/css; charset=utf-8' },
  { path: '/docs/start.js', file: 'start.js', mediaType: SCRIPT },
  { path: '/docs/redoc.js', file: 'redoc.js', mediaType: SCRIPT },
  { path: '/docs/redoc-LICENSE.txt', file: 'redoc-LICENSE.txt', mediaType: 'text/plain; charset=utf-8' },
];

/**
 * In place of the policy of all other answers. Redoc makes its styles as it goes, and its search runs in a worker that it makes of a text.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const zip = promisify(gzip);

async function load({ file, mediaType }: Asset): Promise<StoredFile> {
  const bytes = await readFile(new URL(`assets/${file}`, import.meta.url));
  return {
    ...{ mediaType, bytes, digest: digestOf(bytes) },
    coded: [{ coding: 'gzip', bytes: await zip(bytes, { level: 9 }) }],
  };
}

export function serveReference(server: FastifyInstance): void {
  for (const asset of REFERENCE_ASSETS) {
    let loading: Promise<StoredFile> | undefined;
    const loaded = (): Promise<StoredFile> => {
      loading ??= load(asset).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    };
    server.get(asset.path, async (request, reply) =>
      sendStoredFile(request, reply, await loaded(), {
        contentSecurityPolicy: CONTENT_SECURITY_POLICY,
        // Kept by browsers, which ask each time whether it is still the same.
        cacheControl: 'no-cache',
      }),
    );
  }
}
