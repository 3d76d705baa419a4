/**
 * A fast path for reads that are asked again: consoles, scripts and nodes read the same list again and again, and what was answered to one of
 * them a moment ago is right for the next as long as nothing was committed since. The database is asked for that, as by the ordinary way,
 * once for all who ask at the same time.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Counter, type Registry } from 'prom-client';
import { isMachine } from '../../api/access/permissions.ts';
import { matchesAny } from '../etag.ts';
import type { RequestMetrics } from '../metrics/metrics.ts';
import { type KeptAnswer, questionOf, type Reads } from '../reads.ts';
import type { FastAnswer, FastAnswers, FastRequest, Head } from './fast-answers.ts';

const NOT_MODIFIED = 304;

export interface RepeatedReadsParts {
  readonly answers: FastAnswers;
  readonly reads: Pick<Reads<KeptAnswer>, 'kept' | 'keptStill'>;
  readonly metrics: RequestMetrics;
  readonly registry: Registry;
}

/** What is made once of an answer, however often it is sent. */
interface Sendable extends Pick<FastAnswer, 'head' | 'body'> {
  /** For who has it already. */
  readonly known: Head;
}

export class RepeatedReads {
  readonly #parts: RepeatedReadsParts;
  readonly #served: Counter;
  readonly #sendable = new WeakMap<KeptAnswer, Sendable>();

  constructor(parts: RepeatedReadsParts) {
    this.#parts = parts;
    this.#served = new Counter({
      name: 'prefixcast_reads_repeated_total',
      help: 'Reads that were answered again from memory, in front of the routes.',
      registers: [parts.registry],
    });
  }

  /** @param ordinary serves the request if its answer is not right any more */
  serve(request: IncomingMessage, response: ServerResponse, ordinary: RequestListener): boolean {
    if (request.method !== 'GET' || request.url?.startsWith('/v1/') !== true) return false;
    const { answers, reads } = this.#parts;
    const principal = answers.principalOf(request);
    // Answers to machines have the date by the clock of the database.
    if (principal === null || isMachine(principal.role)) return false;
    const started = performance.now();
    const { id } = principal.tenant;
    const question = questionOf(principal, request.url);
    if ((reads.kept(id, question)?.repeats ?? null) === null) return false;
    reads.keptStill(id, question).then(
      (kept) => {
        const isSent = kept !== undefined && this.#send(kept, { request, response, principal, started });
        if (!isSent) ordinary(request, response);
      },
      // The ordinary way meets the same fault, and reports it.
      () => ordinary(request, response),
    );
    return true;
  }

  #send(kept: KeptAnswer, of: FastRequest): boolean {
    const { answers, metrics } = this.#parts;
    const limits = answers.countAllowed(of.principal, 'GET');
    if (limits === null) return false;
    const { etag } = kept.headers;
    const isKnown = etag !== undefined && matchesAny(of.request.headers['if-none-match'], etag);
    const status = isKnown ? NOT_MODIFIED : kept.status;
    this.#served.inc();
    const count = metrics.of('GET', kept.repeats!, status);
    const { head, known, body } = this.#sendableOf(kept);
    answers.send({ ...of, limits, status, head: isKnown ? known : head, body: isKnown ? null : body, count });
    return true;
  }

  #sendableOf(kept: KeptAnswer): Sendable {
    let sendable = this.#sendable.get(kept);
    if (sendable === undefined) {
      const { answers } = this.#parts;
      const { etag, 'cache-control': caching } = kept.headers;
      const known = Object.entries({ etag, 'cache-control': caching }).filter(
        ([, value]) => value !== undefined,
      );
      sendable = {
        head: answers.headOf(kept.headers),
        known: answers.headOf(Object.fromEntries(known) as Record<string, string>),
        body: Buffer.from(kept.body as string),
      };
      this.#sendable.set(kept, sendable);
    }
    return sendable;
  }
}
