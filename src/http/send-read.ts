/** Sends what was read: not again to who has it already, and long answers compressed. */
import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { send, type Rendered } from './answer.ts';
import { encode, encoder, STREAM_CODINGS, tagOf, WORTH_CODING } from './content-coding.ts';
import { matchesAny } from './etag.ts';
import type { Route } from './route.ts';
import { acceptedEncoding } from './request/accept-encoding.ts';
import { addVary } from './vary.ts';

type StreamCoding = (typeof STREAM_CODINGS)[number];

/** Bytes of answers by their entity tag, since the same long ones are asked for again: compressed ones, and those of everybody. */
const encoded = new LRUCache<string, Buffer>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (bytes) => bytes.length,
});

export async function sendRead(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: Rendered,
): Promise<FastifyReply> {
  const coding = chooseFor(route, request, reply, rendered);
  const { etag: plainTag, vary, ...headers } = rendered.headers;
  for (const name of vary?.split(', ') ?? []) addVary(reply, name);
  const tag = plainTag === undefined ? undefined : tagOf(plainTag, coding);
  if (tag !== undefined && matchesAny(request.headers['if-none-match'], tag)) {
    if (typeof rendered.body !== 'string') rendered.body.destroy();
    const { 'cache-control': caching } = headers;
    return reply
      .code(304)
      .headers({ etag: tag, ...(caching === undefined ? {} : { 'cache-control': caching }) })
      .send();
  }
  const tagged = { ...rendered, headers: { ...headers, ...(tag === undefined ? {} : { etag: tag }) } };
  if (coding !== null) {
    const body = await inCoding(rendered.body, coding, tag);
    return send(reply, { ...tagged, body, headers: { ...tagged.headers, 'content-encoding': coding } });
  }
  const { body } = rendered;
  if (route.permission !== 'public' || typeof body !== 'string' || tag === undefined)
    return send(reply, tagged);
  return send(reply, { ...tagged, body: await onceBytes(tag, () => Buffer.from(body)) });
}

function chooseFor(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { body }: Rendered,
): StreamCoding | null {
  if (route.isCompressed !== true) return null;
  addVary(reply, 'Accept-Encoding');
  if (typeof body === 'string' && body.length < WORTH_CODING) return null;
  return acceptedEncoding(request.headers['accept-encoding'], STREAM_CODINGS);
}

async function inCoding(
  body: string | Readable,
  coding: StreamCoding,
  tag: string | undefined,
): Promise<Buffer | Readable> {
  if (typeof body !== 'string')
    // What breaks one side breaks the other; the connection ends, so that the rest is not taken for the whole.
    return pipeline(body, encoder(coding), () => undefined);
  const make = (): Promise<Buffer> => encode(Buffer.from(body), coding);
  return tag === undefined ? make() : onceBytes(tag, make);
}

async function onceBytes(tag: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer> {
  const known = encoded.get(tag);
  if (known !== undefined) return known;
  const bytes = await make();
  encoded.set(tag, bytes);
  return bytes;
}
