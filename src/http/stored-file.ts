/** Files of the service's own pages, answered compressed and with an entity tag. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesAny } from './etag.ts';
import { acceptedEncoding } from './request/accept-encoding.ts';
import { addVary } from './vary.ts';

export interface StoredFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** The same in other codings, the one that is preferred first. */
  readonly coded: readonly { readonly coding: 'br' | 'gzip'; readonly bytes: Buffer }[];
  /** Of the bytes as they are; see {@link digestOf}. */
  readonly digest: string;
}

/** How browsers treat what is sent. */
export interface FileHeaders {
  /** In place of the policy of all other answers. */
  readonly contentSecurityPolicy: string;
  readonly cacheControl: string;
}

export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
}

export function sendStoredFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  { contentSecurityPolicy, cacheControl }: FileHeaders,
): FastifyReply {
  const offered = file.coded.map(({ coding }) => coding);
  const accepted = acceptedEncoding(request.headers['accept-encoding'], offered);
  const coded = file.coded.find(({ coding }) => coding === accepted);
  const tag = `"${file.digest}${coded === undefined ? '' : `-${coded.coding}`}"`;
  void reply.headers({
    'content-security-policy': contentSecurityPolicy,
    'cache-control': cacheControl,
    etag: tag,
  });
  addVary(reply, 'Accept-Encoding');
  if (matchesAny(request.headers['if-none-match'], tag)) return reply.code(304).send();
  void reply.type(file.mediaType);
  if (coded !== undefined) void reply.header('content-encoding', coded.coding);
  return reply.send(coded?.bytes ?? file.bytes);
}
