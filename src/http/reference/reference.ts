/**
 * `GET /docs`: the description of the API as a page to read, made by Redoc in the browser from `/v1/openapi.json`. The page and its files are
 * part of the service, and load nothing from elsewhere. They are read and compressed when somebody asks for them first.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { matchesAny } from '../etag.ts';
import { addVary } from '../vary.ts';
import { acceptedEncoding } from '../request/accept-encoding.ts';

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

interface Loaded {
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly digest: string;
}

const zip = promisify(gzip);

async function load(file: string): Promise<Loaded> {
  const bytes = await readFile(new URL(`assets/${file}`, import.meta.url));
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  return { bytes, zipped: await zip(bytes, { level: 9 }), digest };
}

export function serveReference(server: FastifyInstance): void {
  for (const asset of REFERENCE_ASSETS) {
    let loading: Promise<Loaded> | undefined;
    const loaded = (): Promise<Loaded> => {
      loading ??= load(asset.file).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    };
    server.get(asset.path, async (request, reply) => answer(request, reply, asset, await loaded()));
  }
}

function answer(request: FastifyRequest, reply: FastifyReply, asset: Asset, loaded: Loaded): FastifyReply {
  const isZipped = acceptedEncoding(request.headers['accept-encoding'], ['gzip']) !== null;
  const tag = `"${loaded.digest}${isZipped ? '-gzip' : ''}"`;
  void reply.headers({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    // Kept by browsers, which ask each time whether it is still the same.
    'cache-control': 'no-cache',
    etag: tag,
  });
  addVary(reply, 'Accept-Encoding');
  if (matchesAny(request.headers['if-none-match'], tag)) return reply.code(304).send();
  void reply.type(asset.mediaType);
  if (isZipped) void reply.header('content-encoding', 'gzip');
  return reply.send(isZipped ? loaded.zipped : loaded.bytes);
}
