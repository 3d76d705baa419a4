/**
 * HTTP: the skin over control and store. One table of routes (route-table.ts) is data that everything walks: the server
 * registers it, authentication reads each route's permission from it, the OpenAPI description is made from it, and tests walk
 * it role by role. A request travels server.ts -> authentication.ts -> dispatch.ts (validation, transaction, idempotency)
 * -> routes/<noun>.ts -> control or store, and comes back as an Answer. This file says what a route is.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Registry } from 'prom-client';
import type { AuditAction } from '../api/audit.ts';
import type { Permission, Role } from '../api/permissions.ts';
import type { ProblemCode } from '../api/problem.ts';
import type { TenantStatus } from '../api/tenants.ts';
import type { Version } from '../api/version.ts';
import type { ControlContext } from '../control/context.ts';
import type { JobQueue } from '../control/job.ts';
import type { FetchOptions } from '../sources/fetch/fetch.ts';
import type { Database, TenantTx } from '../store/database/database.ts';
import type { Prefix } from '../core/prefix.ts';
import type { SecretBox } from '../store/secrets.ts';
import type { BundlePolls } from './bundle-polls.ts';
import type { EventStreams } from './event-streams.ts';
import type { JobWaits } from './job-waits.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Who asks: told by the API key alone. */
export interface Principal {
  readonly tenant: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly status: TenantStatus;
  };
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly expires_at: string | null;
  };
  readonly role: Role;
  /** Whose node asks; null: no node does. */
  readonly speaker: { readonly id: string; readonly name: string } | null;
  /** It came with a token that lets a node enroll, and nothing else. */
  readonly isEnrollment: boolean;
}

/** What handlers reach beside their transaction. */
export interface Services {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  /** How sources outside may be asked. */
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** Networks of `APP_PEER_ALLOW`. */
  readonly peerAllow: readonly Prefix[];
  readonly metrics: Registry;
  readonly events: EventStreams;
  readonly bundles: BundlePolls;
  readonly jobs: JobWaits;
  /** Who sends the header, which was good before. @throws {Problem} when the key is not good any more */
  readonly authenticateAgain: (authorization: string | undefined) => Promise<Principal>;
  readonly version: Version;
  /** The API description, as JSON text. */
  readonly describe: () => string;
  /** True from the moment the server begins to close. */
  readonly isDraining: () => boolean;
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

export interface TenantRequest<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> {
  /** Commits when the handler returns, together with the record of the answer under its Idempotency-Key. */
  readonly tx: TenantTx;
  /** What control verbs want to know of the caller. */
  readonly context: ControlContext;
  readonly principal: Principal;
  readonly params: Readonly<Record<ParamNames<Path>, string>>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  /** The body of a route that consumes something else than JSON; else empty. */
  readonly bytes: Uint8Array;
  /** Version that `If-Match` names; null: any. */
  readonly ifMatch: number | null;
  /** `If-None-Match` as it was sent, for routes that wait until it does not match. */
  readonly ifNoneMatch: string | undefined;
  /** The media type negotiated among JSON and the route's `streams`. */
  readonly mediaType: string;
  /** `Last-Event-ID` of a client that comes back to a stream of events; null: none. */
  readonly lastEventId: string | null;
  /** Asks anew whether the key is good, for answers that go on after the request. @throws {Problem} when it is not */
  readonly authenticateAgain: () => Promise<unknown>;
  readonly services: Services;
}

/** What a read gets that is answered without a transaction of its own. */
export interface QuickRequest<Query extends TSchema = TSchema> {
  readonly query: Static<Query>;
  /** What `read` finds in the tenant, read again once something was committed, and for all requests alike. */
  readonly fresh: <State>(read: (tx: TenantTx) => Promise<State>) => Promise<State>;
}

/** What a read gets that waits for something before it is performed. */
export interface WaitRequest<Path extends string = string, Query extends TSchema = TSchema> {
  readonly tenantId: string;
  readonly params: Readonly<Record<ParamNames<Path>, string>>;
  readonly query: Static<Query>;
  readonly services: Services;
  /** Aborts when the client goes. */
  readonly signal: AbortSignal;
}

/** What a handler answers; the status is the route's. */
export interface Answer<T = unknown> {
  readonly body?: T;
  /** Version of a single resource; makes the ETag. */
  readonly version?: number;
  /** In place of one that follows from the version. */
  readonly etag?: string;
  readonly location?: string;
  /** Beside those that follow from the rest. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text in place of a body. The first chunk is pulled inside the transaction, the others after it. */
  readonly text?: string | AsyncIterable<string>;
  readonly mediaType?: string;
  /** In place of all that: asks somebody outside of the service, which no transaction may wait for. Of routes that say so. */
  readonly outside?: () => Promise<Answer<T>>;
}

interface RouteDescription {
  readonly method: Method;
  /** Names path parameters as OpenAPI does: `/v1/modules/{module_id}`. */
  readonly path: string;
  /** Unique name of the operation for generated clients, such as `listModules`. */
  readonly operation: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Of a good answer. */
  readonly status: 200 | 201 | 202 | 204;
  /** Codes beyond those that follow from the route's shape; see problemsOf in openapi.ts. */
  readonly problems?: readonly ProblemCode[];
  readonly response?: TSchema;
  /** Every route that may change something says what the audit log calls that, or why it needs no record. */
  readonly audit?: AuditAction | { readonly none: string };
  /** A body as one would send it; shown in the description and checked against the schema by a test. */
  readonly example?: unknown;
  /** Media types served beside JSON. */
  readonly streams?: readonly string[];
}

/** Needs no key, has no tenant. */
export interface PublicRoute extends RouteDescription {
  readonly method: 'GET';
  readonly permission: 'public';
  handler(services: Services): Promise<Answer>;
}

export interface TenantRoute<
  Path extends string = string,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> extends RouteDescription {
  readonly path: Path;
  readonly permission: Permission;
  /** What each path parameter identifies, in the words of a 404. */
  readonly params?: Readonly<Record<ParamNames<Path>, string>>;
  readonly query?: Query;
  readonly body?: Body;
  /** The body is a file of this media type in place of JSON. */
  readonly consumes?: 'text/csv';
  /** The body may be left out, which reads as `{}`. */
  readonly bodyOptional?: boolean;
  /** Of which a tenant has so many at a time: looked at before the body is read. */
  readonly places?: { requireOne(tenantId: string): void };
  /** Bytes; 1 MiB where nothing is said. */
  readonly bodyLimit?: number;
  readonly response?: Response;
  /** Tried before `handler`, without a transaction, by reads that must be quick; null: it takes the handler. */
  quick?(request: QuickRequest<Query>): Promise<Answer<Static<Response>> | null>;
  /** What the query asks to wait for before the read, without a transaction; null: nothing. */
  wait?(request: WaitRequest<Path, Query>): Promise<void> | null;
  /** Answers with `outside`, and changes nothing: its answer is not kept for an Idempotency-Key. */
  readonly asksOutside?: boolean;
  // A method on purpose: its parameters compare both ways, so that routes of all shapes fit one table.
  handler(request: TenantRequest<Path, Query, Body>): Promise<Answer<Static<Response>>>;
}

export type Route = PublicRoute | TenantRoute;

/** Whether the answer to an Idempotency-Key is kept and repeated. An enrollment token works once, so nothing can be repeated with it. */
export function keepsAnswers(route: Route): boolean {
  if (route.permission === 'public' || route.permission === 'bgp:node:enroll') return false;
  return route.method !== 'GET' && route.asksOutside !== true;
}

/** Whether a path parameter may name a revision by more than its id. Nodes are told ids, and ask by these. */
export function isNamable({ permission }: Pick<TenantRoute, 'permission'>, noun: string): boolean {
  return noun === 'revision' && !permission.startsWith('bgp:node:');
}

/** Types a route by its path and schemas. */
export function tenantRoute<
  const Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Response extends TSchema,
>(route: TenantRoute<Path, Query, Body, Response>): TenantRoute {
  return route;
}
