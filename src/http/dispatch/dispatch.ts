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
import type { LongRequests } from '../admission/long-requests.ts';
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
import { aftermathOf, isLarge, isLong } from './request-load.ts';
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
  /** Reads that go through all that a list has, and whatever else is of thousands. */
  readonly longRequests: LongRequests;
}

export function dispatch(route: Route, shared: Shared): RouteHandlerMethod {
  if (route.permission === 'public') return dispatchPublic(route, shared.services);
  const ofTenants = new TenantDispatch(route, shared);
  return (request, reply) => ofTenants.answer(request, reply);
}

function dispatchPublic(route: PublicRoute, services: Services): RouteHandlerMethod {
  return async (request, reply) =>
    sendRead(route, request, reply, await render(route, await route.handler(services, request.principal)));
}

/** One request on its way. */
interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly principal: Principal;
  readonly authenticateAgain: () => Promise<unknown>;
  readonly inTenant: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;
  /** Waits for the request's turn. */
  readonly atWork: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What a request says, before anything is read for it. */
type Parts = Omit<TenantRequest, 'tx' | 'named'>;

/** Requests of one route: what follows from the route alone is worked out once. */
class TenantDispatch {
  readonly #route: TenantRoute;
  readonly #shared: Shared;
  readonly #checkQuery: ReturnType<typeof queryReader>;
  readonly #readBody: (body: unknown) => unknown;
  readonly #handle: ReturnType<typeof audited>;
  readonly #quick: ReturnType<typeof quickly>;
  readonly #changes: boolean;
  readonly #mayDryRun: boolean;
  readonly #isConditional: boolean;
  readonly #isOfNodes: boolean;
  readonly #isList: boolean;
  readonly #aftermathMs: number;
  /** The path under which an answer is repeated; null: it is not. */
  readonly #repeats: string | null;

  constructor(route: TenantRoute, shared: Shared) {
    this.#route = route;
    this.#shared = shared;
    this.#checkQuery = queryReader(route);
    this.#readBody = route.consumes === undefined ? bodyReader(route) : () => undefined;
    this.#handle = audited(route);
    this.#quick = quickly(route, shared);
    this.#changes = route.method !== 'GET';
    this.#mayDryRun = takesDryRun(route);
    this.#isConditional = route.method === 'PATCH' || route.method === 'DELETE';
    this.#isOfNodes = isOfMachines(route.permission);
    this.#isList = isPaged(route);
    this.#aftermathMs = aftermathOf(route);
    this.#repeats = isRepeatable(route) ? route.path : null;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const visit = this.#enter(request, reply);
    const quick = await this.#askQuickly(visit);
    if (quick !== null) return send(reply, await render(this.#route, quick));
    const parts = this.#read(visit);
    if (this.#route.asksOutside === true) return this.#askOutside(visit, parts);
    if (this.#mayDryRun && (parts.query as { dry_run?: boolean }).dry_run === true)
      return this.#try(visit, parts);
    return this.#changes ? this.#change(visit, parts) : this.#look(visit, parts);
  }

  #enter(request: FastifyRequest, reply: FastifyReply): Visit {
    const { services, nodeTurns, longRequests, door } = this.#shared;
    const principal = request.principal!;
    const { id: tenantId } = principal.tenant;
    const editor = this.#changes ? actorOf(principal) : null;
    const authenticateAgain = () => services.authenticateAgain(request.credential!);
    return {
      ...{ request, reply, principal, authenticateAgain },
      inTenant: (work) => {
        const transact = () =>
          forGroup(tenantId, () =>
            isLarge(this.#route, request)
              ? services.db.inBulk(tenantId, work, editor)
              : services.db.inTenant(tenantId, work, undefined, editor),
          );
        if (this.#isOfNodes) return nodeTurns.run(transact, tenantId);
        const takesTurn = isLong(request) || this.#aftermathMs > 0;
        return takesTurn ? longRequests.inTurn(tenantId, transact, this.#aftermathMs) : transact();
      },
      // A body takes its time to arrive, and so does the door: the key may have been taken back meanwhile, or the tenant stopped.
      atWork: (work) => {
        const begin = this.#changes ? () => authenticateAgain().then(work) : work;
        return this.#isOfNodes ? begin() : door.enter(tenantId, begin);
      },
    };
  }

  /** @returns null: it takes the handler */
  async #askQuickly({ request, principal, atWork }: Visit): Promise<Answer | null> {
    const quick = this.#quick;
    if (quick === undefined) return null;
    return atWork(() => quick(principal.tenant.id, this.#checkQuery(request.query)));
  }

  #read({ request, reply, principal, authenticateAgain }: Visit): Parts {
    const { services } = this.#shared;
    const route = this.#route;
    // Of a route that has a dry run of its own, too.
    const isDryRun = route.method !== 'GET' && (request.query as { dry_run?: unknown }).dry_run !== undefined;
    return {
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
      query: this.#checkQuery(request.query),
      // What a merge patch makes of the resource is read with it.
      body: isMergePatch(request) ? null : this.#readBody(request.body),
      bytes: request.body instanceof Uint8Array ? request.body : NO_BYTES,
      mediaType: readMediaType(route, request, reply),
      ifMatch: this.#isConditional ? versionToMatch(route, request.headers['if-match']) : null,
      isTrial: false,
      gone: route.isTakenBack || route.asksOutside || isDryRun ? clientSignal(reply) : NEVER,
      caller: { requestId: request.id, address: request.ip },
      cookies: sessionCookiesOf(request, services.publicUrl),
      ifNoneMatch: request.headers['if-none-match'],
      lastEventId: request.headers['last-event-id']?.toString() ?? null,
      authenticateAgain,
      origin: `${request.protocol}://${request.host}`,
      services,
    };
  }

  /** What the handler gets, which some of it is read for. */
  async #asked({ request }: Visit, parts: Parts, tx: TenantTx): Promise<TenantRequest> {
    const params = await namedIds(tx, this.#route, parts.params);
    const body = isMergePatch(request)
      ? this.#readBody(await mergedBody(this.#route, { tx, params }, request.body))
      : parts.body;
    return { tx, ...parts, params, body, named: parts.params };
  }

  #render(answer: Answer, { request }: Visit): Promise<Rendered> {
    return render(this.#route, this.#isList ? withLinks(answer, request.url) : answer);
  }

  async #perform(visit: Visit, parts: Parts, tx: TenantTx): Promise<Rendered> {
    return this.#render(await this.#handle(await this.#asked(visit, parts, tx)), visit);
  }

  /** Somebody outside of the service is asked when the transaction has ended. */
  async #askOutside(visit: Visit, parts: Parts): Promise<unknown> {
    const { request, reply, principal, inTenant, atWork } = visit;
    const answer = await atWork(() => inTenant((tx) => this.#handle({ tx, ...parts, named: parts.params })));
    const outside = (await forGroup(principal.tenant.id, () => answer.outside?.())) ?? answer;
    return sendRead(this.#route, request, reply, await this.#render(outside, visit));
  }

  async #try(visit: Visit, parts: Parts): Promise<unknown> {
    const trial = async (tx: TenantTx): Promise<Rendered> => {
      const asked: TenantRequest = { ...(await this.#asked(visit, parts, tx)), isTrial: true };
      const answer = await dryRun(this.#route, asked, () => this.#route.handler(asked));
      return { ...(await render(this.#route, answer)), status: 200 };
    };
    return send(visit.reply, await visit.atWork(() => visit.inTenant(trial)));
  }

  async #change(visit: Visit, parts: Parts): Promise<unknown> {
    const { request, reply, principal, inTenant, atWork } = visit;
    const { services, reads } = this.#shared;
    const route = this.#route;
    const perform = (tx: TenantTx): Promise<Rendered> => this.#perform(visit, parts, tx);
    const work = (): Promise<Rendered> =>
      keepsAnswers(route) ? answerOnce(services, request, perform, inTenant) : inTenant(perform);
    // Before a connection is waited for: those that came first may have taken the places since the head was looked at.
    const answered = await atWork(() => route.places?.take(principal.tenant.id, work) ?? work());
    reads.committed();
    // Other processes hear of it a moment later. Whoever has this answer may rely on it here.
    if (OF_KEYS.has(route.permission)) services.forgetKeys();
    const ended = route.status === 202 ? await afterWait(services, request, reply, answered) : answered;
    return send(reply, ended);
  }

  async #look(visit: Visit, parts: Parts): Promise<unknown> {
    const { request, reply, principal, inTenant, atWork } = visit;
    const { services, reads } = this.#shared;
    const route = this.#route;
    await waitFirst(route, services, request, reply, parts);
    const look = async (): Promise<KeptAnswer> => {
      const rendered = await inTenant((tx) => this.#perform(visit, parts, tx));
      return { ...rendered, repeats: rendered.headers.vary === undefined ? this.#repeats : null };
    };
    // A stream can be read by one only.
    const isShared =
      parts.mediaType === JSON_MEDIA_TYPE && route.isWrittenWhileRead !== true && route.isOfBrowser !== true;
    const rendered = await atWork(() =>
      isShared ? reads.current(principal.tenant.id, questionOf(principal, request.url), look, weigh) : look(),
    );
    return sendRead(route, request, reply, rendered);
  }
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
