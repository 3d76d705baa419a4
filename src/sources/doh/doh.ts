/**
 * DNS over HTTPS (RFC 8484): the addresses of names, from a resolver that a tenant chose.
 *
 *     domain.ts -> doh.ts               one name at several resolvers; one name at one of them, following aliases
 *                    message.ts     questions and answers in DNS's own format
 *                    connection.ts  HTTP/2 over TLS, with the same guard as all sources
 *                    url.ts         the template of a resolver's URL
 */
import type { OutgoingHttpHeaders } from 'node:http2';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Family } from '../../core/address.ts';
import type { Prefix } from '../../core/prefix.ts';
import type { Reach } from '../../core/reach.ts';
import { RetryPolicy, type RetryRule } from '../fetch/retry.ts';
import { DohConnection, type HttpReply } from './connection.ts';
import {
  type DnsAddress,
  type DnsQuestion,
  MAX_ALIASES,
  type Resolution,
  encodeQuestion,
  readReply,
} from './message.ts';
import { checkDohUrl, dohPath, type DohUrl } from './url.ts';
import { failureOf } from '../fetch/fetch-failure.ts';
import { DEFAULT_LIMITS } from '../fetch/fetch-limits.ts';
import { waitOf } from '../fetch/http-status.ts';
import { SourceError } from '../source-error.ts';
import { shownUrl } from '../fetch/source-url.ts';

const MEDIA_TYPE = 'application/dns-message';

/**
 * Servers allow a hundred streams or more (RFC 9113 section 6.5.2); waiting for a place here does not count against the question's timeout.
 */
const AT_ONCE = 100;

/** After this many consecutive questions without an answer, the resolver counts as down, and no more are sent. */
const SILENCES_IN_A_ROW = 16;

const RETRY: RetryRule = { attempts: 4, firstMs: 200, longestMs: 5_000 };

/** A resolver and its settings. */
export interface DohResolverOptions {
  /** Template (RFC 8484). */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly bootstrapAddresses: readonly string[];
  readonly clientSubnet: Prefix | null;
  /** Milliseconds for a connection, and for a question over it. */
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Special-purpose networks that may be reached nevertheless. */
  readonly reach: Reach;
  readonly retry?: RetryRule;
}

/** Queries one resolver over one connection, which is opened on demand, and again when the server closes it. */
export class DohResolver {
  readonly #options: DohResolverOptions;
  readonly #url: DohUrl;
  readonly #place: string;
  readonly #retries: RetryPolicy;
  readonly #turns = new Semaphore(AT_ONCE);
  #connection: Promise<DohConnection> | null = null;
  #silences = 0;

  /** @throws SourceError `source_bad_url` */
  constructor(options: DohResolverOptions) {
    const url = checkDohUrl(options.url);
    if (!url.ok) throw new SourceError('source_bad_url', url.reason);
    this.#options = options;
    this.#url = url.value;
    this.#place = shownUrl(url.value.url);
    this.#retries = new RetryPolicy(options.retry ?? RETRY);
  }

  /**
   * The addresses of one family, and whether the name exists at all.
   * @throws SourceError when the resolver gives no answer; the signal's reason when it aborts
   */
  async lookUp(name: string, family: Family, signal?: AbortSignal): Promise<Resolution> {
    let question: DnsQuestion = { name, family };
    let [aliases, ttl] = [0, Infinity];
    // Each round follows at least one alias, and aliases are limited.
    for (;;) {
      const reply = await this.#ask(question, MAX_ALIASES - aliases, signal);
      ttl = Math.min(ttl, reply.ttl);
      if (reply.next === null) {
        const addresses = reply.addresses.map((found) => ({ ...found, ttl: Math.min(found.ttl, ttl) }));
        return { addresses, isMissing: reply.isMissing };
      }
      aliases += reply.aliases;
      question = { name: reply.next, family };
    }
  }

  /** {@link lookUp} for whom a name that does not exist is one without addresses. */
  async resolve(name: string, family: Family, signal?: AbortSignal): Promise<readonly DnsAddress[]> {
    return (await this.lookUp(name, family, signal)).addresses;
  }

  /** Closes the connection, if there is one. */
  close(): void {
    void this.#connection?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  async #ask(question: DnsQuestion, aliasesLeft: number, signal: AbortSignal | undefined) {
    return this.#turns.run(async () => {
      signal?.throwIfAborted();
      if (this.#silences >= SILENCES_IN_A_ROW) throw this.#outOfOrder();
      try {
        const { clientSubnet } = this.#options;
        const message = encodeQuestion(question, clientSubnet);
        const reply = await this.#retries.run(() => this.#exchange(message, signal), signal);
        return readReply(reply, question, clientSubnet, aliasesLeft);
      } catch (error) {
        signal?.throwIfAborted();
        const fault = this.#shown(error);
        if (isSilence(fault)) this.#silences++;
        throw fault;
      }
    });
  }

  /** One attempt. An error of the connection says nothing about the question, so it may be retried. */
  async #exchange(message: Buffer, signal: AbortSignal | undefined): Promise<Buffer> {
    const { timeoutMs, method } = this.#options;
    try {
      const connection = await unlessAborted(this.#reach(), signal);
      const before = connection.bytesRead;
      const deadline = AbortSignal.timeout(timeoutMs);
      const all = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      try {
        const body = method === 'POST' ? message : null;
        const answer = messageOf(await connection.request(this.#headersFor(message), body, all));
        this.#silences = 0;
        return answer;
      } catch (error) {
        if (!deadline.aborted || signal?.aborted === true) throw error;
        if (connection.bytesRead === before) connection.retire();
        else this.#silences = 0;
        throw new SourceError('source_timeout', `did not answer within ${timeoutMs / 1000} s.`);
      }
    } catch (error) {
      throw this.#shown(error);
    }
  }

  #reach(): Promise<DohConnection> {
    if (this.#connection !== null) return this.#connection;
    const { bootstrapAddresses, reach, timeoutMs } = this.#options;
    const forget = (): void => {
      if (this.#connection === opening) this.#connection = null;
    };
    const place = { url: this.#url.url, bootstrapAddresses, reach, timeoutMs };
    const opening = DohConnection.open(place, forget);
    opening.catch(forget);
    this.#connection = opening;
    return opening;
  }

  #headersFor(message: Buffer): OutgoingHttpHeaders {
    const { method, headers } = this.#options;
    const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    return {
      'user-agent': 'prefixcast',
      ...Object.fromEntries(own),
      ':method': method,
      ':path': dohPath(this.#url, method === 'GET' ? message : null),
      accept: MEDIA_TYPE,
      ...(method === 'POST' ? { 'content-type': MEDIA_TYPE, 'content-length': message.length } : {}),
    };
  }

  /** The error as the owner of the profile may see it. */
  #shown(error: unknown): unknown {
    if (error instanceof SourceError && error.message.startsWith(this.#place)) return error;
    const { timeoutMs } = this.#options;
    return failureOf(error, this.#place, { ...DEFAULT_LIMITS, connectMs: timeoutMs, headersMs: timeoutMs });
  }

  #outOfOrder(): SourceError {
    return new SourceError(
      'source_unreachable',
      `${this.#place} answered none of ${SILENCES_IN_A_ROW} questions in a row, so this one was not asked. The next refresh tries again.`,
    );
  }
}

/** Stops waiting for the promise on abort: the connection is still established, since others wait for it. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Whether the resolver showed no sign of being one. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return ['source_unreachable', 'source_timeout', 'source_http_status'].includes(error.code);
}

function messageOf({ status, contentType, contentEncoding, retryAfter, body }: HttpReply): Buffer {
  if (status !== 200) {
    const remedy = status >= 500 ? 'The fault is at the resolver.' : 'Check URL, method and headers.';
    throw new SourceError('source_http_status', `answered HTTP ${status}. ${remedy}`, {
      httpStatus: status,
      retryAfterMs: waitOf(retryAfter),
    });
  }
  const type = contentType?.split(';', 1)[0]!.trim().toLowerCase() ?? null;
  if (type !== MEDIA_TYPE)
    throw new SourceError(
      'source_unparseable',
      `answered with the media type ${JSON.stringify(type?.slice(0, 80) ?? 'none')}, not ${MEDIA_TYPE}. Check that the URL is that of a DoH service.`,
    );
  if (contentEncoding !== null && contentEncoding !== 'identity')
    throw new SourceError('source_unparseable', 'sent a compressed body, which was not asked for.');
  return body;
}
