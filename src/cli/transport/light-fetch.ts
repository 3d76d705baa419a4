/**
 * `fetch` over node:http. That of Node.js loads and compiles undici, which costs a command three times the processor time of all else that it
 * does (`npm run bench -- cli`).
 */
import { request as overHttp, type IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import type { Readable } from 'node:stream';
import { headersOf, LightResponse } from './light-response.ts';
import { LightRequest, type LightRequestInit } from './light-request.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CONNECT_MILLISECONDS = 10_000;
/** Without a byte: events have a sign of life far more often. */
const IDLE_MILLISECONDS = 300_000;

/** @throws {Error} where no answer comes; the reason of the signal where that aborts */
export async function lightFetch(
  input: string | URL | LightRequest,
  init?: LightRequestInit,
): Promise<LightResponse> {
  const request = input instanceof LightRequest ? input : new LightRequest(input, init);
  let url = new URL(request.url);
  for (let redirects = 0; ; redirects++) {
    const answer = await answerTo(request, url);
    const { statusCode: status = 0 } = answer;
    const headers = headersOf(answer);
    const place = headers.get('location');
    if (!REDIRECTS.has(status) || place === null) {
      const content = await decoded(answer, headers.get('content-encoding'));
      if (status === 204 || request.method === 'HEAD') content.resume();
      // A stream that nobody reads keeps no command from ending.
      const { socket } = answer;
      socket.unref();
      const onRead = (): unknown => socket.ref();
      return new LightResponse({ url: url.href, status, headers, content, onRead });
    }
    answer.resume();
    url = followed(request, url, new URL(place, url), redirects);
  }
}

/** The key goes to no other origin than it was meant for, and a write is sent again only where HTTP says so (RFC 9110, 15.4). */
function followed(request: LightRequest, from: URL, to: URL, redirects: number): URL {
  if (to.origin !== from.origin)
    throw new Error(`it redirects to ${to.origin}: use that address, if it is the service's`);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new Error(`it redirects ${request.method} ${from.pathname} to ${to.pathname}`);
  if (redirects >= MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
  return to;
}

async function answerTo(request: LightRequest, url: URL): Promise<IncomingMessage> {
  const { method, body, signal } = request;
  signal.throwIfAborted();
  const send = url.protocol === 'https:' ? (await import('node:https')).request : overHttp;
  const headers: Record<string, string | number> = { accept: '*/*', ...Object.fromEntries(request.headers) };
  // Bytes are dear between machines, and processors within one.
  if (!isLoopback(url.hostname)) headers['accept-encoding'] ??= 'gzip';
  if (body !== null || method !== 'GET')
    headers['content-length'] = body === null ? 0 : Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers, signal, timeout: IDLE_MILLISECONDS });
    const connecting = setTimeout(
      () => sent.destroy(new Error(`no connection within ${CONNECT_MILLISECONDS / 1000} s`)),
      CONNECT_MILLISECONDS,
    );
    const connected = (): void => clearTimeout(connecting);
    sent.once('socket', (socket) => {
      if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    sent.once('timeout', () => sent.destroy(new Error(`no byte within ${IDLE_MILLISECONDS / 1000} s`)));
    sent.once('close', connected);
    sent.once('response', resolve);
    // After the answer has begun, its reader is who has to know.
    sent.on('error', (error) =>
      reject(signal.aborted ? (signal.reason as Error) : new Error(textOf(error), { cause: error })),
    );
    sent.end(body);
  });
}

/** A name with several addresses fails at each of them for a reason of its own. */
function textOf(error: Error): string {
  return error instanceof AggregateError
    ? error.errors.map((one) => (one as Error).message).join('; ')
    : error.message;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

async function decoded(answer: IncomingMessage, encoding: string | null): Promise<Readable> {
  if (encoding !== 'gzip') return answer;
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const gunzip = createGunzip();
  // A fault of either ends both; the reader of what is decoded sees it.
  pipeline(answer, gunzip, () => undefined);
  return gunzip;
}
