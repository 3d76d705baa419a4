/** One bounded, guarded GET: every source is read this way. */
import type { Readable } from 'node:stream';
import type { Agent, buildConnector, request } from 'undici';
import { type AnyBytes, freeBytes } from '../../concurrency/parcel.ts';
import type { Reach } from '../../core/reach.ts';
import { guardedConnector } from './address-guard.ts';
import { ACCEPT_ENCODING, readDecoded } from './decoded-body.ts';
import { Deadline } from './deadline.ts';
import { failureOf } from './fetch-failure.ts';
import { DEFAULT_LIMITS, type FetchLimits } from './fetch-limits.ts';
import { statusError } from './http-status.ts';
import { checkSourceHeaders, headersForOthers } from './request-headers.ts';
import { SourceError } from '../source-error.ts';
import { checkSourceUrl, shownUrl } from './source-url.ts';

export { SourceError, SOURCE_ERROR_CODES, type SourceErrorCode } from '../source-error.ts';
export { DEFAULT_LIMITS, type FetchLimits } from './fetch-limits.ts';

export interface FetchOptions {
  /** Special-purpose networks that may be reached nevertheless. */
  readonly reach: Reach;
  /** Cancels the request; it then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<FetchLimits>;
  /** Called with the decoded bytes so far, for every chunk that arrives. */
  readonly onProgress?: (bytes: number) => void;
}

export interface FetchRequest {
  readonly url: string;
  /** The source's own headers, which may contain secrets: they are not sent to any other origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Validators of the last good answer, for a conditional request. */
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface FetchedBody {
  readonly notModified: false;
  /** Decoded. Whoever gets it frees it. */
  readonly bytes: AnyBytes;
  /** The URL after all redirects. */
  readonly url: URL;
  readonly httpStatus: number;
  readonly contentType: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface NotModified {
  readonly notModified: true;
  readonly httpStatus: 304;
}

/** Validators are stored and sent back unchanged, so they must be short and plain (RFC 9110 section 8.8). */
const MAX_VALIDATOR_LENGTH = 1024;

/** @throws SourceError for every fault of a source; the signal's reason when it aborts */
export async function fetchSource(
  { url, headers, etag, lastModified }: FetchRequest,
  options: FetchOptions,
): Promise<FetchedBody | NotModified> {
  const checkedUrl = checkSourceUrl(url);
  if (!checkedUrl.ok) throw new SourceError('source_bad_url', checkedUrl.reason);
  const checkedHeaders = checkSourceHeaders(headers);
  if (!checkedHeaders.ok) throw new SourceError('source_bad_url', checkedHeaders.reason);
  options.signal?.throwIfAborted();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const conditions = {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
  const connections: Connections = { resets: [] };
  const undici = await import('undici'); // not needed when the service starts
  const agent = new undici.Agent({
    connect: watched(await guardedConnector(options.reach, limits.connectMs), connections),
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: limits.headerBytes,
  });
  const deadline = new Deadline(limits.totalMs);
  const signal =
    options.signal === undefined ? deadline.signal : AbortSignal.any([options.signal, deadline.signal]);
  const visit: Visit = {
    request: undici.request,
    agent,
    connections,
    limits,
    signal,
    conditions,
    onBytes: options.onProgress ?? (() => undefined),
    whileWaiting: (wait) => deadline.whilePaused(wait),
  };
  let hop: Hop = { url: checkedUrl.value, headers };
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await getOnce(hop, visit);
      if (!('location' in answer)) return answer;
      if (redirects === limits.redirects) throw tooManyRedirects(limits);
      hop = nextHop(hop, answer.location);
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (deadline.signal.aborted)
      throw new SourceError(
        'source_timeout',
        `${shownUrl(hop.url)} was not read within ${limits.totalMs / 1000} s in all. Use a faster mirror, or a smaller list.`,
        { cause: error },
      );
    throw failureOf(error, shownUrl(hop.url), limits);
  } finally {
    deadline.end();
    void agent.destroy();
  }
}

interface Hop {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the connections of a request ended. */
interface Connections {
  readonly resets: Error[];
}

interface Visit {
  readonly request: typeof request;
  readonly agent: Agent;
  readonly connections: Connections;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly conditions: Readonly<Record<string, string>>;
  readonly onBytes: (bytes: number) => void;
  readonly whileWaiting: <T>(wait: Promise<T>) => Promise<T>;
}

async function getOnce(
  { url, headers }: Hop,
  { request: ask, agent, connections, limits, signal, conditions, onBytes, whileWaiting }: Visit,
): Promise<FetchedBody | NotModified | { readonly location: string }> {
  connections.resets.length = 0; // resets of earlier hops do not matter
  const answer = await ask(url, {
    dispatcher: agent,
    signal,
    headers: {
      accept: '*/*',
      'user-agent': 'prefixcast',
      ...lowerCased(headers),
      ...conditions,
      'accept-encoding': ACCEPT_ENCODING,
    },
  });
  const { statusCode: httpStatus, body } = answer;
  const header = (name: string): string | null => single(answer.headers[name]);
  if (httpStatus === 200 || httpStatus === 203) {
    const encoding = header('content-encoding');
    const bytes = await readDecoded(body, { encoding, limits, signal, onBytes, whileWaiting });
    const isChunked = /\bchunked\s*$/i.test(header('transfer-encoding') ?? '');
    const [reset] = connections.resets;
    // RFC 9112 section 6.3: without a length the body ends with the connection.
    if (reset !== undefined && !isChunked && header('content-length') === null) {
      freeBytes(bytes);
      throw reset;
    }
    return {
      notModified: false,
      bytes,
      url,
      httpStatus,
      contentType: header('content-type'),
      etag: validator(header('etag')),
      lastModified: validator(header('last-modified')),
    };
  }
  abandon(body);
  if (httpStatus === 304 && Object.keys(conditions).length > 0) return { notModified: true, httpStatus };
  const location = header('location');
  if ([301, 302, 303, 307, 308].includes(httpStatus) && location !== null) return { location };
  throw statusError(httpStatus, header('retry-after'));
}

/** Notes resets, which undici takes for the end of a body that ends with its connection: half a list would count as whole. */
function watched(connect: buildConnector.connector, { resets }: Connections): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...made) => {
      made[1]?.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') resets.push(error);
      });
      callback(...made);
    });
}

/** The body of an answer without a list is never read. */
function abandon(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function nextHop({ url, headers }: Hop, location: string): Hop {
  const target = URL.parse(location, url.href);
  const checked = checkSourceUrl(target?.href ?? location);
  if (!checked.ok)
    throw new SourceError('source_redirect', `redirects to where it may not: ${checked.reason}`);
  if (url.protocol === 'https:' && checked.value.protocol === 'http:')
    throw new SourceError(
      'source_redirect',
      `redirects from https to ${shownUrl(checked.value)}, where anybody between could change the list. Use an https URL.`,
    );
  const sameOrigin = checked.value.origin === url.origin;
  return { url: checked.value, headers: sameOrigin ? headers : headersForOthers(headers) };
}

function tooManyRedirects({ redirects }: FetchLimits): SourceError {
  return new SourceError(
    'source_redirect',
    `redirects more than ${redirects} times. Use the URL at which the list really is.`,
  );
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function single(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value.at(-1) : value) ?? null;
}

function validator(value: string | null): string | null {
  return value !== null && value.length <= MAX_VALIDATOR_LENGTH && /^[\x20-\x7e]+$/.test(value)
    ? value
    : null;
}
