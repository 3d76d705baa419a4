/** From what a handler returns to status, headers and body; and the few ways in which handlers answer. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Job } from '../api/activity/jobs.ts';
import type { Versioned } from '../store/database/database.ts';
import { entityTag } from './etag.ts';
import type { Answer, Route } from './route.ts';
import { mapInSlices } from '../concurrency/slices.ts';

export const JSON_MEDIA_TYPE = 'application/json';
/** More than a page of a list has, unless a longer one is asked for. */
const MANY_ITEMS = 100;

/** An answer ready to be sent, or to be kept for a repetition of its request. */
export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** One whose text may be compressed. */
type Sendable = Omit<Rendered, 'body'> & { readonly body: Rendered['body'] | Buffer };

export function readResource<T>({ resource, version }: Versioned<T>): Answer<T> {
  return { body: resource, version };
}

/** @param collection path of the list that the new resource joins */
export function created<T extends { id: string }>(collection: string, made: Versioned<T>): Answer<T> {
  return { ...readResource(made), location: `${collection}/${made.resource.id}` };
}

export function accepted(job: Job): Answer<Job> {
  return { body: job, location: `/v1/jobs/${job.id}` };
}

export async function render(route: Route, answer: Answer): Promise<Rendered> {
  const text =
    answer.text === undefined
      ? answer.body === undefined
        ? ''
        : await writeJson(answer.body)
      : typeof answer.text === 'string'
        ? answer.text
        : answer.text instanceof Readable
          ? answer.text
          : await started(answer.text);
  const headers: Record<string, string> = { ...answer.headers };
  if (text !== '') headers['content-type'] = answer.mediaType ?? `${JSON_MEDIA_TYPE}; charset=utf-8`;
  // Proxies that collect an answer before they pass it on would never pass this one.
  if (answer.mediaType === 'text/event-stream') headers['x-accel-buffering'] = 'no';
  if (answer.location !== undefined) headers.location = answer.location;
  if (answer.version !== undefined && typeof text === 'string')
    headers.etag = entityTag(answer.version, text);
  if (answer.etag !== undefined) headers.etag = answer.etag;
  if (answer.vary !== undefined) headers.vary = answer.vary;
  return { status: route.status, headers, body: text };
}

/** `JSON.stringify` of an object, of which the items that many were made at once are written in slices. */
async function writeJson(body: unknown): Promise<string> {
  const { items, ...rest } = body as { readonly items?: unknown };
  if (!Array.isArray(items) || items.length < MANY_ITEMS) return JSON.stringify(body);
  const texts = await mapInSlices(items as readonly unknown[], (item) => JSON.stringify(item));
  return `{${[`"items":[${texts.join()}]`, ...membersOf(rest)].join()}}`;
}

function membersOf(rest: object): string[] {
  const text = JSON.stringify(rest).slice(1, -1);
  return text === '' ? [] : [text];
}

/** Pulls the first chunk now, while the transaction that it needs is still open. */
async function started(chunks: AsyncIterable<string>): Promise<Readable> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<string> {
    try {
      for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return Readable.from(all(), { objectMode: false });
}

export function send(reply: FastifyReply, { status, headers, body }: Sendable): FastifyReply {
  void reply.code(status).headers(headers);
  if (body instanceof Readable && reply.request.method === 'HEAD') {
    // Nobody will read it.
    body.destroy();
    return reply.send();
  }
  if (body === '') return reply.send();
  if (Buffer.isBuffer(body)) return reply.send(body);
  // A text goes out in one piece with its head. But fastify adds a charset to a media type that names none: bytes keep it as it is.
  const isText = typeof body !== 'string' || headers['content-type']?.includes('charset=') === true;
  return reply.send(isText ? body : Buffer.from(body));
}
