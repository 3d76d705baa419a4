/**
 * Carries one request of a route: reads its parts strictly, opens the tenant's transaction, calls the handler, sends the
 * answer. A change and the record of its answer commit together.
 */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { TSchema } from 'typebox';
import { ID_PATTERN, Strict } from '../api/page.ts';
import { Problem, fieldProblem, notFound } from '../api/problem.ts';
import { revisionOfPath } from '../control/revisions/named-revision.ts';
import type { TenantTx } from '../store/database/database.ts';
import type { Semaphore } from '../concurrency/semaphore.ts';
import { forGroup } from '../concurrency/groups.ts';
import { negotiate } from './accept.ts';
import type { Door } from './door.ts';
import { JSON_MEDIA_TYPE, render, send, type Rendered } from './answer.ts';
import { audited } from './auditing.ts';
import { expectedVersion, matchesAny } from './etag.ts';
import { answerOnce } from './idempotency.ts';
import type { FreshReads } from './fresh-reads.ts';
import type { RecentSnapshot } from './recent-snapshot.ts';
import {
  isNamable,
  keepsAnswers,
  type Answer,
  type PublicRoute,
  type QuickRequest,
  type Route,
  type Services,
  type TenantRoute,
  type WaitRequest,
} from './route.ts';
import { afterWait, clientSignal } from './waiting.ts';
import { compileBody, compileQuery, type Check } from './validation.ts';

const ID = new RegExp(ID_PATTERN);
const NO_BYTES = new Uint8Array();
/** Longer answers are seldom asked for twice, and there may be a thousand. */
const KEPT_LENGTH = 64 * 1024;

/** What all routes share. */
export interface Shared {
  readonly services: Services;
  readonly reads: FreshReads<Rendered>;
  /** What quick reads of a tenant share, as of `recent`. */
  readonly states: FreshReads<unknown>;
  readonly recent: RecentSnapshot;
  /** Where requests wait before they are at work. */
  readonly door: Door;
  /** Nodes come all at once when there is something new, and shall leave connections for everybody else. They do not wait at the door. */
  readonly nodeTurns: Semaphore;
  /** The whole table: a change is told by the route that reads what it changes. */
  readonly routes: readonly Route[];
}

export function dispatch(route: Route, shared: Shared): RouteHandlerMethod {
  return route.permission === 'public'
    ? dispatchPublic(route, shared.services)
    : dispatchTenant(route, shared);
}

function dispatchPublic(route: PublicRoute, services: Services): RouteHandlerMethod {
  return async (_request, reply) => send(reply, await render(route, await route.handler(services)));
}

function dispatchTenant(route: TenantRoute, shared: Shared): RouteHandlerMethod {
  const { services, reads, recent, routes } = shared;
  const checkQuery = compileQuery(route.query ?? Strict({}));
  const readBody = route.consumes === undefined ? bodyReader(route) : () => undefined;
  const changes = route.method !== 'GET';
  const isConditional = route.method === 'PATCH' || route.method === 'DELETE';
  const handle = audited(route, routes);
  const quick = quickly(route, shared);
  const isOfNodes = route.permission.startsWith('bgp:node:');
  return async (request, reply) => {
    const principal = request.principal!;
    const { id: tenantId } = principal.tenant;
    const authenticateAgain = () => services.authenticateAgain(request.headers.authorization);
    const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => {
      const transact = (): Promise<T> => forGroup(tenantId, () => services.db.inTenant(tenantId, work));
      return isOfNodes ? shared.nodeTurns.run(transact, tenantId) : transact();
    };
    // A body takes its time to arrive, and so does the door: the key may have been taken back meanwhile, or the tenant stopped.
    const atWork = <T>(work: () => Promise<T>): Promise<T> => {
      const begin = changes ? () => authenticateAgain().then(work) : work;
      return isOfNodes ? begin() : shared.door.enter(tenantId, begin);
    };
    const answer =
      quick === undefined ? null : await atWork(() => quick(tenantId, checkQuery(request.query)));
    if (answer !== null) return send(reply, await render(route, answer));
    const parts = {
      context: {
        actor: principal.speaker === null ? `key:${principal.key.name}` : `node:${principal.speaker.name}`,
        role: principal.role,
        speakerId: principal.speaker?.id ?? null,
        queue: services.queue,
        secrets: services.secrets,
        peerAllow: services.peerAllow,
      },
      principal,
      params: readIds(route, request.params as Readonly<Record<string, string>>),
      query: checkQuery(request.query),
      body: readBody(request.body),
      bytes: request.body instanceof Uint8Array ? request.body : NO_BYTES,
      mediaType: readMediaType(route, request, reply),
      ifMatch: isConditional ? expectedVersion(request.headers['if-match']) : null,
      ifNoneMatch: request.headers['if-none-match'],
      lastEventId: request.headers['last-event-id']?.toString() ?? null,
      authenticateAgain,
      services,
    };
    const caller = { requestId: request.id, address: request.ip };
    const perform = async (tx: TenantTx): Promise<Rendered> => {
      const params = await namedIds(tx, route, parts.params);
      return render(route, await handle({ tx, ...parts, params }, caller));
    };
    if (route.asksOutside === true) {
      const answer = await atWork(() => inTenant((tx) => handle({ tx, ...parts }, caller)));
      const outside = await forGroup(tenantId, () => answer.outside?.());
      return sendRead(request, reply, await render(route, outside ?? answer));
    }
    if (changes) {
      const answered = await atWork(() => {
        // Before a connection is waited for: those that came first may have taken the places since the head was looked at.
        route.places?.requireOne(tenantId);
        return keepsAnswers(route) ? answerOnce(services, request, perform, inTenant) : inTenant(perform);
      });
      recent.forget();
      return send(
        reply,
        route.status === 202 ? await afterWait(services, request, reply, answered) : answered,
      );
    }
    await waitFirst(route, services, request, reply, parts);
    const look = (): Promise<Rendered> => inTenant(perform);
    // A stream can be read by one only.
    const isShared = parts.mediaType === JSON_MEDIA_TYPE;
    const rendered = await atWork(() =>
      isShared ? reads.read(tenantId, `${principal.key.id} ${request.url}`, look, isKept) : look(),
    );
    return sendRead(request, reply, rendered);
  };
}

/** Waits for what the query asks to wait for, with no connection to the database. */
async function waitFirst(
  route: TenantRoute,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Pick<WaitRequest, 'params'> & { readonly query: unknown },
): Promise<void> {
  if (route.wait === undefined) return;
  const { id: tenantId } = request.principal!.tenant;
  const waiting = route.wait({ ...asked, tenantId, services, signal: clientSignal(reply) } as WaitRequest);
  if (waiting === null) return;
  await waiting;
  // The key may have been taken back meanwhile.
  await services.authenticateAgain(request.headers.authorization);
}

function sendRead(request: FastifyRequest, reply: FastifyReply, rendered: Rendered): FastifyReply {
  const tag = rendered.headers.etag;
  if (tag === undefined || !matchesAny(request.headers['if-none-match'], tag)) return send(reply, rendered);
  if (typeof rendered.body !== 'string') rendered.body.destroy();
  return reply.code(304).header('etag', tag).send();
}

function quickly(route: TenantRoute, { services, states }: Shared) {
  if (route.quick === undefined) return undefined;
  return (tenantId: string, query: unknown): Promise<Answer | null> => {
    const fresh = (read: (tx: TenantTx) => Promise<unknown>): Promise<unknown> =>
      states.read(
        tenantId,
        route.operation,
        () => forGroup(tenantId, () => services.db.inTenant(tenantId, read)),
        () => true,
      );
    return route.quick!({ query, fresh } as QuickRequest);
  };
}

function isKept({ body }: Rendered): boolean {
  return typeof body === 'string' && body.length <= KEPT_LENGTH;
}

/**
 * Ids as the database writes them: secrets are sealed for them, and locks and references are compared with them. What is not shaped
 * like an id cannot be the id of anything: the same 404 as for an unknown one.
 */
function readIds(
  route: TenantRoute,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries<string>(route.params ?? {}).map(([name, noun]) => {
      const id = params[name]!;
      if (isNamable(route, noun)) return [name, id];
      if (!ID.test(id)) throw notFound(noun, id);
      return [name, id.toLowerCase()];
    }),
  );
}

/** The ids of what the path names by something else. @throws {Problem} `not_found` */
async function namedIds(
  tx: TenantTx,
  route: TenantRoute,
  params: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const ids = { ...params };
  for (const [name, noun] of Object.entries<string>(route.params ?? {}))
    if (isNamable(route, noun)) ids[name] = (await revisionOfPath(tx, params[name]!)).id;
  return ids;
}

function bodyReader(route: TenantRoute): Check {
  if (route.body === undefined)
    return (body) => {
      if (body === undefined || JSON.stringify(body) === '{}') return undefined;
      throw fieldProblem('', 'This operation takes no body; leave it out');
    };
  const check = compileBody(route.body, readOnlyNames(route));
  return (body) => {
    if (body !== undefined) return check(body);
    if (route.bodyOptional === true) return check({});
    throw new Problem(
      'malformed_request',
      'This operation needs a JSON body. Send one; /v1/openapi.json shows it.',
    );
  };
}

/** Fields that answers have and the body of the same operation has not. */
function readOnlyNames(route: TenantRoute): string[] {
  return Object.keys((route.response as (TSchema & { properties?: object }) | undefined)?.properties ?? {});
}

function readMediaType(route: TenantRoute, request: FastifyRequest, reply: FastifyReply): string {
  if (route.streams === undefined) return JSON_MEDIA_TYPE;
  void reply.header('vary', 'Accept');
  const isText = (route.response as { type?: string } | undefined)?.type === 'string';
  const offered = isText ? route.streams : [JSON_MEDIA_TYPE, ...route.streams];
  const chosen = negotiate(request.headers.accept, offered);
  if (chosen === null)
    throw new Problem(
      'not_acceptable',
      `This path answers with ${offered.join(', ')}. Name one of them in Accept.`,
    );
  return chosen;
}
