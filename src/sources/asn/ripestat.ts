import { Semaphore } from '../../concurrency/semaphore.ts';
import { freeBytes } from '../../concurrency/parcel.ts';
import { formatAsn } from '../../core/asn.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { distinctOrigins, type Origin } from './origins.ts';
import { type ReadOverview, readPrefixOverview } from './ripestat-origins.ts';
import { readAsnBodyInThread } from './answer-pool.ts';
import { RetryPolicy, type RetryRule } from '../fetch/retry.ts';
import type { AsnAnswer, AsnOptions, AsnQuestion, AsnSource } from './source.ts';
import { type FetchOptions, SourceError, fetchSource } from '../fetch/fetch.ts';
import { shownUrl } from '../fetch/source-url.ts';

const RIPESTAT_URL = 'https://stat.ripe.net/data/announced-prefixes/data.json';

/** RIPEstat's limit per address; it holds for all refreshes of this process together. */
const AT_ONCE = 8;

/** After this many consecutive failures, the source counts as down, and the remaining AS numbers are not queried. */
const FAILURES_IN_A_ROW = 16;

/** Announced parts of a prefix that are asked for. */
const MOST_PARTS = 5;

const RETRY: RetryRule = { attempts: 4, firstMs: 1_000, longestMs: 60_000 };

export interface RipestatOptions {
  readonly url?: string | null;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  readonly retry?: RetryRule;
}

/** RIPEstat's announced-prefixes, or a compatible service at another URL. */
export class RipestatSource implements AsnSource {
  readonly name: string;
  readonly #url: URL;
  readonly #fetch: Omit<FetchOptions, 'signal'>;
  readonly #retries: RetryPolicy;
  readonly #turns = new Semaphore(AT_ONCE);

  constructor({ url, fetch, retry = RETRY }: RipestatOptions) {
    this.#url = new URL(url ?? RIPESTAT_URL);
    this.name = `ripestat ${this.#url.href}`;
    this.#fetch = fetch;
    this.#retries = new RetryPolicy(retry);
  }

  async ask(questions: readonly AsnQuestion[], options: AsnOptions): Promise<void> {
    const waiting = questions.values();
    let failures = 0;
    const askNext = async (): Promise<void> => {
      for (const question of waiting) {
        const answer = await this.#turns.run(() => this.#askOne(question, options, failures));
        failures = answer.kind === 'failed' ? failures + 1 : 0;
        options.onAnswer(question.asn, answer);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  }

  /** Where nobody announces the prefix itself or one around it, those who announce parts of it are asked for. */
  async originsOf(prefixes: readonly string[], signal?: AbortSignal): Promise<(readonly Origin[])[]> {
    return Promise.all(
      prefixes.map(async (prefix) => {
        const { origins, inside } = await this.#overview(prefix, signal);
        if (origins.length > 0) return distinctOrigins(origins);
        const parts = inside.slice(0, MOST_PARTS).map((part) => this.#overview(part, signal));
        return distinctOrigins((await Promise.all(parts)).flatMap((part) => part.origins));
      }),
    );
  }

  async #overview(prefix: string, signal: AbortSignal | undefined): Promise<ReadOverview> {
    const parsed = parsePrefix(prefix);
    if (!parsed.ok) throw new Error(parsed.reason);
    // Each call has a folder of its own beside the others.
    const url = new URL('..', this.#url);
    url.pathname += 'prefix-overview/data.json';
    url.search = `resource=${encodeURIComponent(prefix)}&sourceapp=prefixcast`;
    const question = {
      url: url.href,
      headers: { accept: 'application/json' },
      etag: null,
      lastModified: null,
    };
    const answer = await this.#turns.run(() =>
      fetchSource(question, { ...this.#fetch, ...(signal === undefined ? {} : { signal }) }),
    );
    if (answer.notModified) throw new Error('RIPEstat answered a question that was not asked');
    const place = shownUrl(url);
    if (!(answer.bytes instanceof Uint8Array)) {
      freeBytes(answer.bytes);
      throw new SourceError('source_too_large', `${place} answers more than an overview takes.`);
    }
    const read = readPrefixOverview(answer.bytes, parsed.value);
    if (!read.ok) throw new SourceError(read.code, `${place}: ${read.reason}.`);
    return read;
  }

  close(): void {
    // Every request has its own connection.
  }

  async #askOne(question: AsnQuestion, options: AsnOptions, failures: number): Promise<AsnAnswer> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (failures >= FAILURES_IN_A_ROW) return { kind: 'failed', error: this.#outOfOrder() };
    try {
      return await this.#retries.run(() => this.#request(question, options), signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SourceError) return { kind: 'failed', error };
      throw error;
    }
  }

  async #request({ asn, ...validators }: AsnQuestion, options: AsnOptions): Promise<AsnAnswer> {
    const { bogons, signal } = options;
    const url = new URL(this.#url);
    url.search = `resource=${formatAsn(asn)}&sourceapp=prefixcast`;
    const answer = await fetchSource(
      { url: url.href, headers: { accept: 'application/json' }, ...validators },
      { ...this.#fetch, ...(signal === undefined ? {} : { signal }) },
    );
    if (answer.notModified) return { kind: 'unchanged' };
    const { bytes: body, etag, lastModified } = answer;
    const { found } = await readAsnBodyInThread(
      { kind: 'ripestat', body, asn, bogons },
      shownUrl(url),
      signal,
    );
    const [read] = found;
    if (read?.ok !== true) throw new Error('One AS was asked for, and one answer read');
    return { kind: 'found', prefixes: read.prefixes, bogons: read.bogons, etag, lastModified };
  }

  #outOfOrder(): SourceError {
    return new SourceError(
      'source_unreachable',
      `${shownUrl(this.#url)} failed for ${FAILURES_IN_A_ROW} AS numbers in a row, so this one was not asked for. The next refresh tries again.`,
    );
  }
}
