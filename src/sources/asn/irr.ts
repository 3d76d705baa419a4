import { formatAsn } from '../../core/asn.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { parsePrefixText } from '../../core/text/prefix-text.ts';
import { judgeAsn } from './answer.ts';
import { IrrConnection, type IrrPlace, type IrrTimes } from './irr-connection.ts';
import { readRouteObjects } from './irr-origins.ts';
import type { IrrReply } from './irr-replies.ts';
import { distinctOrigins, type Origin } from './origins.ts';
import { RetryPolicy, type RetryRule } from '../fetch/retry.ts';
import type { AsnAnswer, AsnOptions, AsnQuestion, AsnSource } from './source.ts';
import { SourceError } from '../source-error.ts';

/** ASes with queries in flight; their replies are read while the server works on the next. */
const IN_PIPELINE = 32;

/** After this many consecutive failures, the remaining AS numbers are not queried. */
const FAILURES_IN_A_ROW = 2 * IN_PIPELINE;

const TIMES: IrrTimes = { connectMs: 10_000, replyMs: 60_000, idleMs: 60_000 };
const RETRY: RetryRule = { attempts: 3, firstMs: 1_000, longestMs: 10_000 };

const SPACE = 0x20;
const LF = 0x0a;

/**
 * The route objects with an AS as their origin, from a server with the protocol of IRRd. The operator chooses the host, so it may be
 * internal.
 */
export class IrrSource implements AsnSource {
  readonly name: string;
  readonly #place: IrrPlace;
  readonly #times: IrrTimes;
  readonly #retries: RetryPolicy;
  #connection: IrrConnection | null = null;

  constructor(place: IrrPlace, times: Partial<IrrTimes> = {}, retry: RetryRule = RETRY) {
    this.name = `irr ${place.host}:${place.port}`;
    this.#place = place;
    this.#times = { ...TIMES, ...times };
    this.#retries = new RetryPolicy(retry);
  }

  async ask(questions: readonly AsnQuestion[], options: AsnOptions): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    const stop = (): void => this.close();
    signal?.addEventListener('abort', stop, { once: true });
    const waiting = questions.values();
    let failures = 0;
    let last: AsnAnswer | null = null;
    const askNext = async (): Promise<void> => {
      for (const { asn } of waiting) {
        const answer = failures >= FAILURES_IN_A_ROW ? last! : await this.#askOne(asn, options);
        failures = answer.kind === 'failed' ? failures + 1 : 0;
        last = answer;
        options.onAnswer(asn, answer);
      }
    };
    try {
      await Promise.all(Array.from({ length: IN_PIPELINE }, askNext));
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async originsOf(prefixes: readonly string[], signal?: AbortSignal): Promise<(readonly Origin[])[]> {
    signal?.throwIfAborted();
    return Promise.all(prefixes.map((prefix) => this.#originsOf(prefix)));
  }

  /** Of the route objects around the prefix, or where there are none, of those inside. */
  async #originsOf(text: string): Promise<readonly Origin[]> {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    for (const option of ['L', 'M']) {
      const query = `!r${text},${option}`;
      const objects = this.#dataOf(await this.#connected().query(query), query).toString();
      const found = readRouteObjects(objects, parsed.value);
      // The longest say who has these addresses, and not those around them.
      if (found.length > 0)
        return distinctOrigins(found.toSorted((a, b) => lengthOf(b.range) - lengthOf(a.range)));
    }
    return [];
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  async #askOne(asn: number, { bogons, signal }: AsnOptions): Promise<AsnAnswer> {
    try {
      const replies = await this.#retries.run(() => this.#query(asn), signal);
      const read = judgeAsn(parsePrefixText(asLines(replies)), bogons);
      if (read.ok)
        return {
          kind: 'found',
          prefixes: read.prefixes,
          bogons: read.bogons,
          etag: null,
          lastModified: null,
        };
      return { kind: 'failed', error: new SourceError(read.code, `${this.#shown()}: ${read.reason}.`) };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SourceError) return { kind: 'failed', error };
      throw error;
    }
  }

  /** Both families or none: half an answer would withdraw the other half. */
  async #query(asn: number): Promise<Buffer[]> {
    const connection = this.#connected();
    const texts = ['!g', '!6'].map((command) => command + formatAsn(asn));
    const replies = await Promise.all(texts.map((text) => connection.query(text)));
    return replies.map((reply, index) => this.#dataOf(reply, texts[index]!));
  }

  #dataOf(reply: IrrReply, text: string): Buffer {
    if (reply.kind === 'data') return reply.bytes;
    if (reply.kind === 'nothing') return Buffer.alloc(0);
    throw new SourceError(
      'source_refused_query',
      `${this.#shown()} refuses ${text}: ${reply.message.slice(0, 200)}.`,
    );
  }

  #connected(): IrrConnection {
    if (this.#connection?.isOpen === true) return this.#connection;
    const connection = new IrrConnection(this.#place, this.#times);
    connection.greet().catch(() => undefined); // the queries fail with it
    return (this.#connection = connection);
  }

  #shown(): string {
    return `${this.#place.host}:${this.#place.port}`;
  }
}

function lengthOf(prefix: string): number {
  return Number(prefix.split('/')[1]);
}

/** Prefixes on a line, separated by blanks. */
function asLines(replies: readonly Buffer[]): Uint8Array {
  const text = Buffer.concat(replies);
  for (let at = text.indexOf(SPACE); at >= 0; at = text.indexOf(SPACE, at + 1)) text[at] = LF;
  return text;
}
