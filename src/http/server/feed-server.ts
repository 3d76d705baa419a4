/**
 * `GET /feeds/{name}`: what feeds serve, to clients with the token. What is fetched again and again is answered in front of fastify, from memory,
 * and fresh by the rules of lookups; all else, every refusal too, takes the ordinary way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { FEED_FORMATS, FEED_NAME_PATTERN } from '../../api/feeds/feeds.ts';
import { fieldProblem, Problem } from '../../api/problems/problem.ts';
import { type FeedBytes, FeedContents } from '../../control/feeds/feed-contents.ts';
import { parseAddress } from '../../core/address.ts';
import { covers } from '../../core/bits.ts';
import { parsePrefix, type Prefix } from '../../core/prefix.ts';
import { plainAddress } from '../../core/socket-address.ts';
import type { Database } from '../../store/database/database.ts';
import { type FeedToServe, findFeedByToken, recordFeedFetches } from '../../store/feeds/feeds.ts';
import { hashApiKey, isFeedTokenText } from '../../store/keys/api-key-secret.ts';
import { networkOf, type RateLimiter, type RateLimitFields } from '../admission/rate-limits.ts';
import { SuspectKeys } from '../admission/suspect-keys.ts';
import { encode, tagOf, WORTH_CODING, type Coding } from '../content-coding.ts';
import { matchesAny } from '../etag.ts';
import type { RequestMetrics } from '../metrics/metrics.ts';
import type { Reads } from '../reads.ts';
import { acceptedEncoding } from '../request/accept-encoding.ts';
import { addVary } from '../vary.ts';
import type { FastAnswers, Head } from './fast-answers.ts';

export const FEED_PATH = '/feeds/{name}';
const TARGET = new RegExp(
  `^/feeds/(${FEED_NAME_PATTERN.slice(1, -1)})(?:\\?token=(pc_l_[0-9A-Za-z_]{50}))?$`,
);
/** How often it is written down who has fetched what. */
const RECORDED_MS = 10_000;

const CODINGS = ['zstd', 'br', 'gzip'] as const satisfies Coding[];
type Encoding = Coding | 'identity';

/** A feed and its content, as it was a moment ago. */
interface View {
  readonly feed: FeedToServe;
  readonly networks: readonly Prefix[];
  /** Null: it has never had any. */
  readonly content: FeedBytes | null;
}

/** An answer that waits to be sent. */
interface Ready {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly view: View;
  readonly encoding: Encoding;
  readonly body: Body;
  readonly isKnown: boolean;
  readonly started: number;
}

/** By status. */
type Heads = Readonly<Record<200 | 304, Head>>;

interface Body {
  readonly tag: string;
  readonly bytes: Buffer;
}

export interface FeedServerParts {
  readonly db: Database;
  readonly limiter: RateLimiter;
  readonly reads: Pick<Reads<unknown>, 'recent' | 'knownRecent'>;
  readonly answers: FastAnswers;
  readonly metrics: RequestMetrics;
  /** Metrics that name tenants, which not everybody may read. */
  readonly named: Registry;
  readonly onFault: (error: unknown) => void;
}

export class FeedServer {
  readonly #parts: FeedServerParts;
  readonly #contents: FeedContents;
  /** What was compressed, for as long as the content is kept. */
  readonly #encoded = new WeakMap<FeedBytes, Map<Encoding, Promise<Body> | Body>>();
  /** What each body is sent with, for as long as it is kept. */
  readonly #heads = new WeakMap<Body, Heads>();
  readonly #fetched = new Map<string, { readonly by: string; readonly at: number }>();
  /** Tokens from an address that has sent many wrong ones, which wait here alone: others read what they have at once. */
  readonly #suspects = new SuspectKeys();
  readonly #fetches: Counter;
  readonly #count: Readonly<Record<200 | 304, (seconds: number) => void>>;
  /** Of each feed, as it was when it was looked up. */
  readonly #fetchesOf = new WeakMap<FeedToServe, Readonly<Record<200 | 304, { inc: () => void }>>>();
  #waiting: Ready[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: FeedServerParts) {
    this.#parts = parts;
    this.#contents = new FeedContents(parts.db);
    this.#fetches = new Counter({
      name: 'prefixcast_feed_fetches_total',
      help: 'Answers to who fetched feeds: sent, or not_modified.',
      labelNames: ['tenant', 'feed', 'result'],
      registers: [parts.named],
    });
    this.#count = {
      200: parts.metrics.of('GET', FEED_PATH, 200),
      304: parts.metrics.of('GET', FEED_PATH, 304),
    };
  }

  /** The ordinary way. */
  mount(server: FastifyInstance): void {
    server.get('/feeds/:name', { exposeHeadRoute: true }, (request, reply) => this.#answer(request, reply));
    server.addHook('onClose', async () => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      await this.#record();
    });
  }

  /** False, with nothing done, if the request is not one for the fast path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request;
    if (method !== 'GET' || !url.startsWith('/feeds/')) return false;
    const started = performance.now();
    const target = TARGET.exec(url);
    if (target === null || !this.#parts.answers.isPlain(request)) return false;
    const token = target[2] ?? tokenIn(headers.authorization);
    if (token === null) return false;
    const view = this.#parts.reads.knownRecent(FEEDS, token) as View | null | undefined;
    if (view === null || view === undefined || refusalOf(view, target[1]!, request.socket.remoteAddress))
      return false;
    const encoding = encodingOf(headers['accept-encoding'], view.content!);
    const body = this.#encoded.get(view.content!)?.get(encoding);
    if (body === undefined || body instanceof Promise) return false;
    const isKnown = matchesAny(headers['if-none-match'], body.tag);
    const waiting = this.#waiting.push({ request, response, view, encoding, body, isKnown, started });
    if (waiting === 1) setImmediate(() => this.#sendAll());
    return true;
  }

  /** All that were asked for at once: each client that sleeps is costly to wake, and few do when many are answered. */
  #sendAll(): void {
    const answers = this.#waiting;
    this.#waiting = [];
    for (const answer of answers) this.#send(answer);
  }

  #send({ request, response, view: { feed, content }, encoding, body, isKnown, started }: Ready): void {
    const status = isKnown ? 304 : 200;
    this.#parts.answers.send({
      ...{ request, response, started, status, principal: null, limits: NO_LIMITS },
      head: this.#headsOf(feed, content!, encoding, body)[status],
      ...{ body: isKnown ? null : body.bytes, count: this.#count[status] },
    });
    this.#countFetch(feed, request.socket.remoteAddress, status);
  }

  #headsOf(feed: FeedToServe, content: FeedBytes, encoding: Encoding, body: Body): Heads {
    let heads = this.#heads.get(body);
    if (heads === undefined) {
      const { answers } = this.#parts;
      const revision = String(content.recipe.number);
      const known = { ...CACHING, vary: 'Accept-Encoding', etag: body.tag, [REVISION]: revision };
      const type = { 'content-type': FEED_FORMATS[feed.format] };
      const coding = encoding === 'identity' ? {} : { 'content-encoding': encoding };
      heads = { 200: answers.headOf({ ...known, ...type, ...coding }), 304: answers.headOf(known) };
      this.#heads.set(body, heads);
    }
    return heads;
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { name } = request.params as { name: string };
    const { token: given } = request.query as { token?: unknown };
    const token = typeof given === 'string' ? given : tokenIn(request.headers.authorization);
    const view = await this.#viewOf(token, request.ip);
    const refusal = view === null ? unauthenticated() : refusalOf(view, name, request.ip);
    if (view === null || refusal !== null) {
      if (refusal!.code === 'unauthenticated')
        void reply.header('www-authenticate', 'Basic realm="feeds", charset="UTF-8"');
      throw refusal!;
    }
    const content = await this.#contentFor(view, (request.query as { since?: unknown }).since);
    const encoding = encodingOf(request.headers['accept-encoding'], content);
    const { tag, bytes } = await this.#encode(content, encoding);
    void reply.headers({ ...CACHING, etag: tag, [REVISION]: String(content.recipe.number) });
    addVary(reply, 'Accept-Encoding');
    if (content.since !== null) void reply.header(SINCE, String(content.since));
    const isKnown = matchesAny(request.headers['if-none-match'], tag);
    this.#countFetch(view.feed, request.ip, isKnown ? 304 : 200);
    if (isKnown) return reply.code(304).send();
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    return reply.type(FEED_FORMATS[view.feed.format]).send(bytes);
  }

  /** All that it has, or what changed since a revision that the client has. @throws {Problem} `validation_failed` */
  async #contentFor({ feed, content }: View, since: unknown): Promise<FeedBytes> {
    // A client that has nothing yet may say so.
    if (since === undefined || since === '') return content!;
    if (typeof since !== 'string' || !/^[1-9]\d{0,8}$/.test(since))
      throw fieldProblem('/since', `It is the number of a revision, as the header ${REVISION} says it.`);
    return (await this.#contents.difference(feed, content!, Number(since))) ?? content!;
  }

  /** @throws {Problem} `rate_limited` when too many tokens of the address wait to be looked up */
  async #viewOf(token: string | null, address: string): Promise<View | null> {
    const { db, limiter, reads } = this.#parts;
    if (token === null || !isFeedTokenText(token)) return null;
    const find = (): Promise<FeedToServe | null> => db.alone((tx) => findFeedByToken(tx, hashApiKey(token)));
    const isRemembered = (reads.knownRecent(FEEDS, token) ?? null) !== null;
    if (!isRemembered && limiter.hasManyFailures(address)) {
      const feed = await this.#suspects.lookUp(networkOf(address), find, (found) => found !== null);
      if (feed === null) {
        limiter.countFailure(address);
        return null;
      }
    }
    const look = async (): Promise<View | null> => {
      const feed = await find();
      if (feed === null) return null;
      const networks = feed.allowed_networks.flatMap((text) => {
        const parsed = parsePrefix(text);
        return parsed.ok ? [parsed.value] : [];
      });
      const content = feed.enabled ? await this.#contents.current(feed) : null;
      // Why it has none may have been found just now.
      return { feed: content === null ? ((await find()) ?? feed) : feed, networks, content };
    };
    const view = (await reads.recent(FEEDS, token, look)) as View | null;
    if (view === null) limiter.countFailure(address);
    return view;
  }

  async #encode(content: FeedBytes, encoding: Encoding): Promise<Body> {
    const known = this.#encoded.get(content) ?? new Map<Encoding, Promise<Body> | Body>();
    this.#encoded.set(content, known);
    const made = known.get(encoding);
    if (made !== undefined) return made;
    const making = encodeContent(content, encoding);
    known.set(encoding, making);
    try {
      const body = await making;
      known.set(encoding, body);
      return body;
    } catch (error) {
      known.delete(encoding);
      throw error;
    }
  }

  #countFetch(feed: FeedToServe, address: string | undefined, status: 200 | 304): void {
    let fetches = this.#fetchesOf.get(feed);
    if (fetches === undefined) {
      const of = (result: string) =>
        this.#fetches.labels({ tenant: feed.tenant_slug, feed: feed.name, result });
      fetches = { 200: of('sent'), 304: of('not_modified') };
      this.#fetchesOf.set(feed, fetches);
    }
    fetches[status].inc();
    this.#fetched.set(feed.id, { by: address ?? '', at: performance.now() });
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#record().catch(this.#parts.onFault);
    }, RECORDED_MS).unref();
  }

  async #record(): Promise<void> {
    if (this.#fetched.size === 0) return;
    const now = performance.now();
    const fetches = Array.from(this.#fetched, ([id, { by, at }]) => ({ id, by, age: (now - at) / 1_000 }));
    this.#fetched.clear();
    await this.#parts.db.inSystem((tx) => recordFeedFetches(tx, fetches));
  }
}

/** The number of the revision whose content an answer leads to, and where it is only what changed, the revision that it changed since. */
const REVISION = 'prefixcast-revision';
const SINCE = 'prefixcast-since';

/** Of keys; a feed has a token. */
const NO_LIMITS: RateLimitFields = [];
/** In place of the tenant, which only the token identifies. */
const FEEDS = 'feeds';
/** Kept by who fetched it, who asks each time whether it is still the same. */
const CACHING = { 'cache-control': 'private, no-cache' } as const;

function unauthenticated(): Problem {
  return new Problem(
    'unauthenticated',
    'The feed needs its token: fetch /feeds/{name}?token=…, or give the token as the password of Basic authentication. POST /v1/feeds/{id}/rotate makes a new one.',
  );
}

function refusalOf(view: View, name: string, address: string | undefined): Problem | null {
  if (view.feed.name !== name) return unauthenticated();
  if (view.networks.length > 0 && !isWithin(view.networks, address))
    return new Problem(
      'forbidden',
      `The feed may not be fetched from ${address}. Add the network to its allowed_networks.`,
    );
  if (!view.feed.enabled)
    return new Problem('feed_unavailable', 'The feed is disabled. Enable it (PATCH {"enabled": true}).');
  if (view.content !== null) return null;
  return new Problem(
    'feed_unavailable',
    `The feed has no content yet. ${view.feed.last_error ?? 'It follows the applied revision: apply one, or see GET /v1/feeds/{id}/preview.'}`,
    { retryAfter: 30 },
  );
}

function isWithin(networks: readonly Prefix[], address: string | undefined): boolean {
  const parsed = parseAddress(plainAddress(address));
  if (!parsed.ok) return false;
  const { family, words } = parsed.value;
  return networks.some((one) => one.family === family && covers(one.words, 0, one.length, words, 0));
}

function tokenIn(authorization: string | undefined): string | null {
  if (authorization === undefined || !/^basic /i.test(authorization)) return null;
  const pair = Buffer.from(authorization.slice(6), 'base64').toString('latin1');
  return pair.slice(pair.indexOf(':') + 1);
}

/** In which coding the client gets it, where compressing is worth it. */
function encodingOf(header: string | string[] | undefined, { bytes }: FeedBytes): Encoding {
  if (bytes.length < WORTH_CODING) return 'identity';
  return acceptedEncoding(header, CODINGS) ?? 'identity';
}

async function encodeContent({ tag, bytes }: FeedBytes, encoding: Encoding): Promise<Body> {
  if (encoding === 'identity') return { tag: `"${tag}"`, bytes };
  return { tag: tagOf(`"${tag}"`, encoding), bytes: await encode(bytes, encoding) };
}
