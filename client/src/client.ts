import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { followEvents, type EventOptions } from './events.ts';
import type { paths } from './generated/api.ts';
import { Listing, type Page } from './pages.ts';
import { DEFAULT_RETRIES, retryingFetch, type RetryPolicy } from './retrying-fetch.ts';
import type { ApiEvent } from './schemas.ts';
import { waitForJob, type Job, type WaitOptions } from './wait-for-job.ts';

export interface ClientOptions {
  /** Where the service answers, such as https://routes.example.net. */
  readonly baseUrl: string;
  /** The API key, or what gives it: asked once for each request. None for what needs no key. */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  readonly retries?: Partial<RetryPolicy> | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Instead of the global one. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

type Method = 'get' | 'post' | 'patch' | 'delete';
/** Of answers. A dry run has a media type of its own, and is asked for by `request`. */
type AnswerMedia = 'application/json' | 'application/problem+json' | `text/${string}`;
interface DryRun {
  readonly 'application/vnd.prefixcast.dry-run+json': unknown;
}
type Api = Client<paths, AnswerMedia>;
type PathOf<M extends Method> = ClientPathsWithMethod<Api, M>;
type Init<M extends Method, P extends PathOf<M>> = MaybeOptionalInit<paths[P], M>;
/** An init that has nothing to say may be left out. */
type InitArguments<I> = undefined extends I ? [I?] : [I];
type Data<M extends Method, P extends PathOf<M>> = Exclude<MethodResponse<Api, M, P>, DryRun>;

type PageOf<P extends PathOf<'get'>> = Extract<Data<'get', P>, Page<unknown>>;

/** Paths that answer pages, perhaps beside other media types. */
export type ListPath = {
  [P in PathOf<'get'>]: [PageOf<P>] extends [never] ? never : P;
}[PathOf<'get'>];
export type ItemOf<P extends ListPath> = PageOf<P>['items'][number];

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The API, typed by its description. Every method resolves to the body of the answer, and rejects with an {@link ApiProblem} where the
 * service refuses, fails or can't be reached.
 */
export class PrefixcastClient {
  readonly baseUrl: string;
  readonly #options: ClientOptions;
  readonly #typed: Api;
  readonly #retries: RetryPolicy;

  constructor(options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#options = options;
    this.#retries = { ...DEFAULT_RETRIES, ...options.retries };
    this.#typed = createClient<paths, AnswerMedia>({
      baseUrl: this.baseUrl,
      fetch: (request) => this.#send(request),
    });
  }

  get<P extends PathOf<'get'>>(path: P, ...[init]: InitArguments<Init<'get', P>>): Promise<Data<'get', P>> {
    return this.#call('get', path, init);
  }

  post<P extends PathOf<'post'>>(
    path: P,
    ...[init]: InitArguments<Init<'post', P>>
  ): Promise<Data<'post', P>> {
    return this.#call('post', path, init);
  }

  patch<P extends PathOf<'patch'>>(
    path: P,
    ...[init]: InitArguments<Init<'patch', P>>
  ): Promise<Data<'patch', P>> {
    return this.#call('patch', path, init);
  }

  async delete<P extends PathOf<'delete'>>(
    path: P,
    ...[init]: InitArguments<Init<'delete', P>>
  ): Promise<void> {
    await this.#call('delete', path, init);
  }

  /** A list: iterate it for its items, or `pages()` for its pages. */
  list<P extends ListPath>(path: P, ...[init]: InitArguments<Init<'get', P>>): Listing<ItemOf<P>> {
    const { params, ...rest } = (init ?? {}) as { params?: { query?: object } };
    return new Listing<ItemOf<P>>((cursor) => {
      const query = { ...params?.query, ...(cursor === undefined ? {} : { cursor }) };
      const page = this.#call('get', path, { ...rest, params: { ...params, query } });
      return page;
    });
  }

  /** A request by a path that is made at run time; the path is of `/v1`. Resolves to the answer, whose body nobody has read. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { body, headers, query, signal } = options;
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
    return this.#send(
      new Request(url, {
        method: method.toUpperCase(),
        headers: { ...(body === undefined ? {} : type), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  }

  /** Resolves to the job when it has ended: look at its `state`, and its `error` where that is `failed`. */
  waitForJob(id: string, options: WaitOptions = {}): Promise<Job> {
    return waitForJob(
      {
        readJob: async (jobId, wait, signal) => {
          const path = `/v1/jobs/${encodeURIComponent(jobId)}`;
          return (await (await this.request('GET', path, { query: { wait }, signal })).json()) as Job;
        },
        jobEvents: (signal, onOpen) => this.events({ kinds: ['job'], signal, onOpen }),
      },
      id,
      options,
    );
  }

  /** What happens in the tenant, until the signal aborts: every event once, however often the connection breaks. */
  events(options: EventOptions = {}): AsyncGenerator<ApiEvent> {
    return followEvents((lastEventId, signal) => {
      const headers = {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      };
      return this.request('GET', '/v1/events', { headers, signal });
    }, options);
  }

  async #call<M extends Method, P extends PathOf<M>>(method: M, path: P, init: unknown): Promise<Data<M, P>> {
    const request = this.#typed.request as (
      method: string,
      path: string,
      init: unknown,
    ) => Promise<{ data: Data<M, P> }>;
    return (await request(method, path, init ?? {})).data;
  }

  async #send(request: Request): Promise<Response> {
    const { key, headers = {}, fetch = globalThis.fetch } = this.#options;
    for (const [name, value] of Object.entries(headers))
      if (!request.headers.has(name)) request.headers.set(name, value);
    const secret = typeof key === 'function' ? await key() : key;
    if (secret !== undefined && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${secret}`);
    return retryingFetch((one) => fetch(one), request, this.#retries);
  }
}
