/**
 * Carries one request of a route: reads its parts strictly, opens the tenant's transaction, calls the handler, sends the
 * answer. A change and the record of its answer commit together.
 */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { Semaphore } from '../../concurrency/semaphore.ts';
import { forGroup } from '../../concurrency/groups.ts';
import { negotiate } from '../request/accept.ts';
import type { Door } from '../admission/door.ts';
import type { Searches } from '../admission/searches.ts';
import { JSON_MEDIA_TYPE, render, send, type Rendered } from '../answer.ts';
import { audited } from './auditing.ts';
import { expectedVersion } from '../etag.ts';
import { answerOnce } from './idempotency.ts';
import { type KeptAnswer, questionOf, type Reads } from '../reads.ts';
import type {
  Answer,
  Principal,
  PublicRoute,
  QuickRequest,
  Route,
  Services,
  TenantRequest,
  TenantRoute,
  WaitRequest,
} from '../route.ts';
import { isOfMachines, isPaged, keepsAnswers, takesDryRun } from '../route-rules.ts';
import { namedIds, readIds } from './path-ids.ts';
import { withLinks } from './page-links.ts';
import { isMergePatch, mergedBody } from './merge-patch.ts';
import { dryRun } from './planning.ts';
import { bodyReader, queryReader } from './request-parts.ts';
import { sessionCookiesOf } from '../request/credentials.ts';
import { sendRead } from '../send-read.ts';
import { addVary } from '../vary.ts';
import { afterWait, clientSignal } from './waiting.ts';

const NO_BYTES = new Uint8Array();
/** Longer answers are seldom asked for twice: no page of fifty is, the jobs included. */
const KEPT_LENGTH = 512 * 1024;
/** Characters of a kept answer that count as one towards the limit of all kept answers, which is 64 MiB. */
const HEAVY_LENGTH = 64 * 1024;
/** A body with more items than this, or bytes that are no JSON, is large: it keeps a session of the database busy for long. */
const MANY_ITEMS = 200;
const MANY_BYTES = 32 * 1024;
/** So is a page of more than these; most lists have none. */
const LONG_PAGE = 1_000;

/** What changes keys, sessions, or whom they let in. */
const OF_KEYS: ReadonlySet<TenantRoute['permission']> = new Set([
  'bgp:keys:write',
  'bgp:session:browse',
  'tenants:write',
]);

/** What all routes share. */
export interface Shared {
  readonly services: Services;
  /** Answers, and the states that quick reads of a tenant answer from. */
  readonly reads: Reads<KeptAnswer>;
  /** Where requests wait before they are at work. */
  readonly door: Door;
  /** All nodes come at once when there is something new, and must leave connections to others. They do not wait at the door. */
  readonly nodeTurns: Semaphore;
  /** Reads that go through all that a list has. */
  readonly searches: Searches;
}

/** Filters that no index may serve. */
const SEARCHING = ['q', 'contains'] as const;

export function dispatch(route: Route, shared: Shared): RouteHandlerMethod {
  return route.permission === 'public'
    ? dispatchPublic(route, shared.services)
    : dispatchTenant(route, shared);
}

function dispatchPublic(route: PublicRoute, services: Services): RouteHandlerMethod {
  return async (request, reply) =>
    sendRead(route, request, reply, await render(route, await route.handler(services, request.principal)));
}

function dispatchTenant(route: TenantRoute, shared: Shared): RouteHandlerMethod {
  const { services, reads } = shared;
  const checkQuery = queryReader(route);
  const mayDryRun = takesDryRun(route);
  const readBody = route.consumes === undefined ? bodyReader(route) : () => undefined;
  const changes = route.method !== 'GET';
  const isConditional = route.method === 'PATCH' || route.method === 'DELETE';
  const handle = audited(route);
  const quick = quickly(route, shared);
  const isOfNodes = isOfMachines(route.permission);
  const isList = isPaged(route);
  const repeats = isRepeatable(route) ? route.path : null;
  return async (request, reply) => {
    const principal = request.principal!;
    const { id: tenantId } = principal.tenant;
    const editor = changes ? actorOf(principal) : null;
    const authenticateAgain = () => services.authenticateAgain(request.credential!);
    const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => {
      const transact = (): Promise<T> =>
        forGroup(tenantId, () =>
          isLarge(route, request)
            ? services.db.inBulk(tenantId, work, editor)
            : services.db.inTenant(tenantId, work, undefined, editor),
        );
      if (isOfNodes) return shared.nodeTurns.run(transact, tenantId);
      return isSearch(request) ? shared.searches.inTurn(tenantId, transact) : transact();
    };
    // A body takes its time to arrive, and so does the door: the key may have been taken back meanwhile, or the tenant stopped.
    const atWork = <T>(work: () => Promise<T>): Promise<T> => {
      const begin = changes ? () => authenticateAgain().then(work) : work;
      return isOfNodes ? begin() : shared.door.enter(tenantId, begin);
    };
    const answer =
      quick === undefined ? null : await atWork(() => quick(tenantId, checkQuery(request.query)));
    if (answer !== null) return send(reply, await render(route, answer));
    const isMerging = isMergePatch(request);
    const isDryRun = mayDryRun && (request.query as { dry_run?: unknown }).dry_run !== undefined;
    const parts = {
      context: {
        actor: actorOf(principal),
        role: principal.role,
        speakerId: principal.speaker?.id ?? null,
        firewallClientId: principal.firewallClient?.id ?? null,
        queue: services.queue,
        secrets: services.secrets,
        peerReach: services.peerReach,
        drivenDaemons: services.drivenDaemons,
      },
      principal,
      params: readIds(route, request.params as Readonly<Record<string, string>>),
      query: checkQuery(request.query),
      body: isMerging ? null : readBody(request.body),
      bytes: request.body instanceof Uint8Array ? request.body : NO_BYTES,
      mediaType: readMediaType(route, request, reply),
      ifMatch: isConditional ? versionToMatch(route, request.headers['if-match']) : null,
      isTrial: false,
      gone: route.isTakenBack === true || isDryRun ? clientSignal(reply) : NEVER,
      caller: { requestId: request.id, address: request.ip },
      cookies: sessionCookiesOf(request, services.publicUrl),
      ifNoneMatch: request.headers['if-none-match'],
      lastEventId: request.headers['last-event-id']?.toString() ?? null,
      authenticateAgain,
      origin: `${request.protocol}://${request.host}`,
      services,
    };
    /** What the handler gets, which some of it is read for. */
    const askedIn = async (tx: TenantTx): Promise<TenantRequest> => {
      const params = await namedIds(tx, route, parts.params);
      const body = isMerging ? readBody(await mergedBody(route, { tx, params }, request.body)) : parts.body;
      return { tx, ...parts, params, body, named: parts.params };
    };
    const perform = async (tx: TenantTx): Promise<Rendered> => {
      const answer = await handle(await askedIn(tx));
      return render(route, isList ? withLinks(answer, request.url) : answer);
    };
    if (route.asksOutside === true) {
      const answer = await atWork(() => inTenant((tx) => handle({ tx, ...parts, named: parts.params })));
      const outside = (await forGroup(tenantId, () => answer.outside?.())) ?? answer;
      const rendered = await render(route, isList ? withLinks(outside, request.url) : outside);
      return sendRead(route, request, reply, rendered);
    }
    if (mayDryRun && (parts.query as { dry_run?: boolean }).dry_run === true)
      return send(
        reply,
        await atWork(() =>
          inTenant(async (tx) => {
            const asked: TenantRequest = { ...(await askedIn(tx)), isTrial: true };
            const answer = await dryRun(route, asked, () => route.handler(asked));
            return { ...(await render(route, answer)), status: 200 };
          }),
        ),
      );
    if (changes) {
      const work = (): Promise<Rendered> =>
        keepsAnswers(route) ? answerOnce(services, request, perform, inTenant) : inTenant(perform);
      // Before a connection is waited for: those that came first may have taken the places since the head was looked at.
      const answered = await atWork(() => route.places?.take(tenantId, work) ?? work());
      reads.committed();
      // Other processes hear of it a moment later. Whoever has this answer may rely on it here.
      if (OF_KEYS.has(route.permission)) services.forgetKeys();
      return send(
        reply,
        route.status === 202 ? await afterWait(services, request, reply, answered) : answered,
      );
    }
    await waitFirst(route, services, request, reply, parts);
    const look = async (): Promise<KeptAnswer> => {
      const rendered = await inTenant(perform);
      return { ...rendered, repeats: rendered.headers.vary === undefined ? repeats : null };
    };
    // A stream can be read by one only.
    const isShared =
      parts.mediaType === JSON_MEDIA_TYPE && route.isWrittenWhileRead !== true && route.isOfBrowser !== true;
    const rendered = await atWork(() =>
      isShared ? reads.current(tenantId, questionOf(principal, request.url), look, weigh) : look(),
    );
    return sendRead(route, request, reply, rendered);
  };
}

function isSearch({ method, query }: FastifyRequest): boolean {
  const given = query as Readonly<Partial<Record<(typeof SEARCHING)[number], unknown>>>;
  return method === 'GET' && SEARCHING.some((name) => given[name] !== undefined);
}

/** Whether it may be much work: of many items, or of whatever a filter or a trial leads to. */
function isLarge(route: TenantRoute, { body, query }: FastifyRequest): boolean {
  if (body instanceof Uint8Array) return body.length > MANY_BYTES;
  if (
    route.isTakenBack === true ||
    route.isLarge === true ||
    route.isSeries === true ||
    (query as { dry_run?: unknown }).dry_run !== undefined
  )
    return true;
  if (Number((query as { limit?: unknown }).limit) > LONG_PAGE) return true;
  const members = (body ?? {}) as Readonly<Record<string, unknown>>;
  // Whatever list it is: items, ids, networks of a firewall rule.
  const isLong = (list: unknown): boolean => Array.isArray(list) && list.length > MANY_ITEMS;
  return Object.values(members).some(isLong) || (route.isOfList === true && members.filter !== undefined);
}

const NEVER = new AbortController().signal;

function versionToMatch({ isOfList }: TenantRoute, ifMatch: string | undefined): number | null {
  const version = expectedVersion(ifMatch);
  if (version !== null && isOfList === true)
    throw new Problem('precondition_failed', 'A list has no version. Leave If-Match out.');
  return version;
}

function actorOf({ speaker, firewallClient, key }: Principal): string {
  if (speaker !== null) return `node:${speaker.name}`;
  return firewallClient === null ? `key:${key.name}` : `firewall:${firewallClient.name}`;
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
  await services.authenticateAgain(request.credential!);
}

function quickly(route: TenantRoute, { services, reads }: Shared) {
  if (route.quick === undefined) return undefined;
  return (tenantId: string, query: unknown): Promise<Answer | null> => {
    const inTenant = (work: (tx: TenantTx) => Promise<unknown>): Promise<unknown> =>
      forGroup(tenantId, () => services.db.inTenant(tenantId, work));
    const fresh = (read: (tx: TenantTx) => Promise<unknown>): Promise<unknown> =>
      reads.recent(tenantId, route.operation, () => inTenant(read));
    return route.quick!({ query, fresh, inTenant } as QuickRequest);
  };
}

/** Whether the same request is answered the same, whatever its head accepts, and at once. */
function isRepeatable(route: TenantRoute): boolean {
  return (
    route.isCompressed !== true &&
    route.streams === undefined &&
    route.wait === undefined &&
    !isOfMachines(route.permission)
  );
}

/** Null: it is not kept. */
function weigh({ body }: Rendered): number | null {
  return typeof body === 'string' && body.length <= KEPT_LENGTH ? 1 + body.length / HEAVY_LENGTH : null;
}

function readMediaType(route: TenantRoute, request: FastifyRequest, reply: FastifyReply): string {
  if (route.streams === undefined) return JSON_MEDIA_TYPE;
  addVary(reply, 'Accept');
  const response: { type?: string } | undefined = route.response;
  const isText = response?.type === 'string';
  const offered = isText ? route.streams : [JSON_MEDIA_TYPE, ...route.streams];
  const chosen = negotiate(request.headers.accept, offered);
  if (chosen === null)
    throw new Problem(
      'not_acceptable',
      `This path answers with ${offered.join(', ')}. Name one of them in Accept.`,
    );
  return chosen;
}
