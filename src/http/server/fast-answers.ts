/**
 * What the fast paths share. They stand in front of fastify, whose routing, hooks and replies cost several times what a quick answer does, and
 * serve only what can be answered at once and well: the key was found good a moment ago, and the limits leave room. All else, every refusal
 * too, they leave to the ordinary way, before they have counted or written anything.
 *
 * What they serve has to be answered by the ordinary way alike, to the last header: tests ask both the same.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Authenticator } from '../admission/authentication.ts';
import type { RateLimiter, RateLimitFields } from '../admission/rate-limits.ts';
import { framingProblem } from '../connections/framing.ts';
import { logRequest } from '../metrics/metrics.ts';
import { requestId } from '../request/request-id.ts';
import type { Principal } from '../route.ts';

export interface FastAnswerParts {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly log: Logger;
  /** Of every answer to a request that names no origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isDraining: () => boolean;
}

/** A request that a fast path may answer. */
export interface FastRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  readonly started: number;
}

/** Names and values of header fields in turns, as node writes them: those before the fields of limits, and those after. */
export interface Head {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface FastAnswer extends Omit<FastRequest, 'principal'> {
  /** Null: it came without a key. */
  readonly principal: Principal | null;
  readonly limits: RateLimitFields;
  readonly status: number;
  readonly head: Head;
  /** A text goes out in one piece with its head. */
  readonly body: Buffer | string | null;
  readonly count: (seconds: number) => void;
}

export class FastAnswers {
  readonly #parts: FastAnswerParts;

  constructor(parts: FastAnswerParts) {
    this.#parts = parts;
  }

  /** Whether the request has nothing that only the ordinary way looks at. */
  isPlain(request: IncomingMessage): boolean {
    const { headers } = request;
    if (headers.origin !== undefined || framingProblem(request) !== null) return false;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    return !hasBody && !this.#parts.isDraining();
  }

  /** Whom the key of a plain request lets in; else null. */
  principalOf(request: IncomingMessage): Principal | null {
    const { headers, socket } = request;
    if (headers.authorization === undefined || !this.isPlain(request)) return null;
    return this.#parts.authenticator.remembered(headers.authorization, socket);
  }

  /** Counts the request. @returns the header fields of the answer; null: the limits leave no room, and it is not counted */
  countAllowed({ key, role }: Principal, method: string): RateLimitFields | null {
    return this.#parts.limiter.countAllowed(key.id, role, method);
  }

  /** @param headers beside those of every answer, whose values they replace, but `vary`, which they add to; of a body all but its length */
  headOf({ vary, ...own }: Readonly<Record<string, string>>): Head {
    const { headers: always } = this.#parts;
    const varying = [always.vary, vary].filter((names) => names !== undefined).join(', ');
    const headers: Readonly<Record<string, string>> = {
      ...own,
      ...(varying === '' ? {} : { vary: varying }),
    };
    const before = Object.entries(always).flatMap(([name, value]) => [name, headers[name] ?? value]);
    const after = Object.entries(headers).filter(([name]) => !(name in always));
    return { before, after: after.flat() };
  }

  send({ request, response, principal, started, limits, status, head: of, body, count }: FastAnswer): void {
    const { log, isDraining } = this.#parts;
    const id = requestId(request);
    const bytes = body === null ? 0 : Buffer.byteLength(body);
    const length = body === null ? [] : ['content-length', String(bytes)];
    const end = isDraining() ? ['connection', 'close'] : [];
    const head = ['x-request-id', id, ...of.before, ...limits, ...of.after, ...length, ...end];
    response.writeHead(status, head);
    if (body === null) response.end();
    // Where all is ASCII, a text goes out without looking at each character.
    else if (typeof body === 'string') response.end(body, bytes === body.length ? 'latin1' : 'utf8');
    else response.end(body);
    const milliseconds = performance.now() - started;
    count(milliseconds / 1000);
    if (!log.isLevelEnabled('info')) return;
    const { method = '', url = '', socket } = request;
    const path = url.split('?', 1)[0]!;
    const address = socket.remoteAddress;
    logRequest(log.child({ request_id: id }), { method, path, status, milliseconds, principal, address });
  }
}
