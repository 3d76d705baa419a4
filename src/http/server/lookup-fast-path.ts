/**
 * A fast path for what is asked most: the lookup of one address. It serves what can be answered from memory: what the lists hold is there, and
 * fresh by the rules of every lookup.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, type Registry } from 'prom-client';
import { lookupAddress } from '../../control/lookup/lookup.ts';
import type { LookupState } from '../../control/lookup/lookup-state.ts';
import { parseAddress } from '../../core/address.ts';
import { hasPermission } from '../admission/authentication.ts';
import type { RequestMetrics } from '../metrics/metrics.ts';
import type { Reads } from '../reads.ts';
import type { Principal } from '../route.ts';
import { lookupRoute } from '../routes/lists/lookup.ts';
import type { FastAnswer, FastAnswers, Head } from './fast-answers.ts';

const { path, method, status, permission } = lookupRoute;
/** Plain addresses, with the colon as it is or as most clients escape it. */
const TARGET = /^\/v1\/lookup\?q=((?:[\da-fA-F.:]|%3[aA]){2,100})$/;

const HELP = 'Lookups of addresses that were answered from memory, in front of the routes.';
/** The metric had this name before; dashboards may ask for it still. */
const FORMER_METRIC = 'prefixcast_lookups_short_way_total';

export interface LookupFastPathParts {
  readonly answers: FastAnswers;
  readonly reads: Pick<Reads<unknown>, 'knownRecent'>;
  readonly metrics: RequestMetrics;
  readonly registry: Registry;
}

export class LookupFastPath {
  readonly #parts: LookupFastPathParts;
  readonly #head: Head;
  readonly #served: readonly Counter[];
  readonly #count: (seconds: number) => void;
  #waiting: FastAnswer[] = [];

  constructor(parts: LookupFastPathParts) {
    this.#parts = parts;
    this.#head = parts.answers.headOf({ 'content-type': 'application/json; charset=utf-8' });
    this.#served = ['prefixcast_lookups_fast_path_total', FORMER_METRIC].map(
      (name) => new Counter({ name, help: HELP, registers: [parts.registry] }),
    );
    this.#count = parts.metrics.of(method, path, status);
  }

  /** False, with nothing done, if the request is not one for the fast path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const started = performance.now();
    let found: Found | null;
    try {
      found = this.#find(request);
    } catch {
      // The ordinary route meets the same fault, and reports it.
      return false;
    }
    if (found === null) return false;
    const limits = this.#parts.answers.countAllowed(found.principal, method);
    if (limits === null) return false;
    const of = { request, response, started, limits, status, head: this.#head, count: this.#count };
    const waiting = this.#waiting.push({ ...found, ...of });
    if (waiting === 1) setImmediate(() => this.#sendAll());
    return true;
  }

  /** Sends what was found for all requests that came at once: each client that sleeps is costly to wake, and few do when many are answered. */
  #sendAll(): void {
    const answers = this.#waiting;
    this.#waiting = [];
    for (const counter of this.#served) counter.inc(answers.length);
    for (const answer of answers) this.#parts.answers.send(answer);
  }

  #find(request: IncomingMessage): Found | null {
    const { method: asked, url = '' } = request;
    const target = asked === method ? TARGET.exec(url) : null;
    if (target === null) return null;
    const { answers, reads } = this.#parts;
    const principal = answers.principalOf(request);
    if (principal === null || !hasPermission(principal, permission)) return null;
    const state = reads.knownRecent(principal.tenant.id, lookupRoute.operation);
    if (state === undefined) return null;
    const query = target[1]!.replace(/%3a/gi, ':');
    const address = parseAddress(query);
    const body = address.ok ? lookupAddress(state as LookupState, query, address.value) : null;
    return body === null ? null : { principal, body };
  }
}

interface Found {
  readonly principal: Principal;
  readonly body: string;
}
