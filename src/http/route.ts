/**
 * HTTP: the skin over control and store. One table of routes (route-table.ts) is data that everything walks: the server
 * registers it, authentication reads each route's permission from it, the OpenAPI description is made from it, and tests walk
 * it role by role. A request travels server.ts -> authentication.ts -> dispatch.ts (validation, transaction, idempotency)
 * -> routes/<noun>.ts -> control or store, and comes back as an Answer. This file says what a route is, and
 * route-rules.ts what follows from that.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { ChangesAnswer, Plan, PlannedChange } from '../api/revisions/plan.ts';
import type { AuditAction } from '../api/activity/audit.ts';
import type { Permission, Role } from '../api/access/permissions.ts';
import type { ProblemCode } from '../api/problems/problem.ts';
import type { Daemon } from '../api/speakers/speakers.ts';
import type { TenantStatus } from '../api/access/tenants.ts';
import type { Version } from '../api/operation/version.ts';
import type { ControlContext } from '../control/context.ts';
import type { JobQueue } from '../control/job.ts';
import type { LogDirectory } from '../logs/log-directory.ts';
import type { AsnSource } from '../sources/asn/source.ts';
import type { FetchOptions } from '../sources/fetch/fetch.ts';
import type { Database, TenantTx, Versioned } from '../store/database/database.ts';
import type { Reach } from '../core/reach.ts';
import type { SecretBox } from '../store/secrets.ts';
import type { OpenBrowserSession } from '../store/keys/api-keys.ts';
import type { Credential } from './request/credentials.ts';
import type { SessionCookies } from './request/session-cookies.ts';
import type { BundlePolls } from './live/bundle-polls.ts';
import type { EventStreams } from './live/event-streams.ts';
import type { JobWaits } from './live/job-waits.ts';
import type { LogStreams } from './live/log-streams.ts';
import type { RulesetPolls } from './live/ruleset-polls.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Who asks: identified by the API key alone, or by a browser session, which stands for the key that opened it. */
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
  /** Which firewall client asks; null: none does. */
  readonly firewallClient: { readonly id: string; readonly name: string } | null;
  /** It came with a token that lets a node or firewall client enroll, and nothing else. */
  readonly isEnrollment: boolean;
  /** The browser's session that the request is of; null: it came with a key. */
  readonly browserSession: OpenBrowserSession | null;
}

/** How a request is recorded in the audit log. */
export interface Caller {
  readonly requestId: string;
  readonly address: string;
}

/** What handlers reach beside their transaction. */
export interface Services {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  /** How sources outside may be asked. */
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** What resolves AS numbers. */
  readonly asnSource: AsnSource;
  /** Networks of `APP_PEER_ALLOW`. */
  readonly peerReach: Reach;
  /** Daemons that the configuration of this process lets speakers have. */
  readonly drivenDaemons: readonly Daemon[];
  /** The metrics that the principal may read; null: nobody knows who asks. */
  readonly readMetrics: (
    principal: Principal | null,
  ) => Promise<{ readonly text: string; readonly mediaType: string }>;
  readonly events: EventStreams;
  readonly bundles: BundlePolls;
  readonly rulesets: RulesetPolls;
  /** `APP_PUBLIC_URL`; null: it is not set. */
  readonly publicUrl: string | null;
  readonly jobs: JobWaits;
  /** Null: this process serves no log files. */
  readonly logs: LogDirectory | null;
  readonly logStreams: LogStreams;
  /** Who shows what was good before. @throws {Problem} when it is not good any more */
  readonly authenticateAgain: (credential: Credential) => Promise<Principal>;
  /** Keys, sessions or tenants have changed: each is looked up again. */
  readonly forgetKeys: () => void;
  readonly version: Version;
  /** What these writes would be answered, and would announce and withdraw. */
  readonly plan: (request: TenantRequest, changes: readonly PlannedChange[]) => Promise<Plan>;
  /** These writes, all or none. */
  readonly carryOut: (request: TenantRequest, changes: readonly PlannedChange[]) => Promise<ChangesAnswer>;
  /** The API description, as JSON text. */
  readonly describe: () => { readonly text: string; readonly etag: string };
  /** Since nodes can report to this service. */
  readonly uptimeSeconds: () => number;
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
  /** How the request is recorded in the audit log. */
  readonly caller: Caller;
  readonly params: Readonly<Record<ParamNames<Path>, string>>;
  /** As they stand in the path, where `params` has the id of what they name. */
  readonly named: Readonly<Record<ParamNames<Path>, string>>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  /** The body of a route that consumes something else than JSON; else empty. */
  readonly bytes: Uint8Array;
  /** All of it is taken back: what no transaction takes back must not be done. */
  readonly isTrial: boolean;
  /** Aborts when nobody waits any more for what such a trial would come to, nor for what is asked outside. */
  readonly gone: AbortSignal;
  /** Version that `If-Match` names; null: any. */
  readonly ifMatch: number | null;
  /** Sessions that the browser sent, and how it is given one. */
  readonly cookies: SessionCookies;
  /** `If-None-Match` as it was sent, for routes that wait until it does not match. */
  readonly ifNoneMatch: string | undefined;
  /** The media type negotiated among JSON and the route's `streams`. */
  readonly mediaType: string;
  /** `Last-Event-ID` of a client that comes back to a stream of events; null: none. */
  readonly lastEventId: string | null;
  /** The URL that the request came by, as far as its head says, without a path. */
  readonly origin: string;
  /** Checks again whether the key is valid, for answers that continue after the request. @throws {Problem} when it is not */
  readonly authenticateAgain: () => Promise<unknown>;
  readonly services: Services;
}

/** What a read gets that may be answered from what was read before. */
export interface QuickRequest<Query extends TSchema = TSchema> {
  readonly query: Static<Query>;
  /** What `read` finds in the tenant, read again once something was committed, and for all requests alike. */
  readonly fresh: <State>(read: (tx: TenantTx) => Promise<State>) => Promise<State>;
  /** A transaction, for the rest. */
  readonly inTenant: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;
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

/** The version of what nobody changes by PATCH: its ETag differs by the content alone. */
export const UNVERSIONED = 0;

/** What a handler answers; the status is the route's. */
export interface Answer<T = unknown> {
  readonly body?: T;
  /** Version of a single resource; makes the ETag. See {@link UNVERSIONED}. */
  readonly version?: number;
  /** In place of one that follows from the version. */
  readonly etag?: string;
  /** Headers of requests that the answer depends on, beside those that follow from the rest. */
  readonly vary?: string;
  readonly location?: string;
  /** Beside those that follow from the rest. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text in place of a body. The first chunk is pulled inside the transaction, the others after it. */
  readonly text?: string | AsyncIterable<string>;
  readonly mediaType?: string;
  /** What the audit record says beside the body. */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /** What the record calls the resource, where that has no name of its own. */
  readonly recordedName?: string;
  /** In place of all that: asks somebody outside of the service, which no transaction may wait for. Of routes that say so. */
  readonly outside?: () => Promise<Answer<T>>;
}

/** A record that the handler writes itself, since only there it is known what was done. */
interface OwnAudit {
  readonly written: AuditAction;
}

/** What it takes to read the one resource that a path names. */
export interface ReadRequest<Names extends string = string> {
  readonly tx: TenantTx;
  readonly params: Readonly<Record<Names, string>>;
}

/** Reads the resource that the path names, as its GET route shows it. @throws {Problem} `not_found` */
export interface ReadResource<Names extends string = string> {
  // A method on purpose, as `handler` is.
  read(request: ReadRequest<Names>): Promise<Versioned<object>>;
}

/** Why the state before a change is not read. */
interface NothingToRead {
  readonly read: { readonly none: string };
}

/** Of routes that create. */
export const CREATED = { none: 'What it creates was not there before.' } as const;

/**
 * Every route that may change something says what the audit log calls that and how to read the resource before the change, or why it
 * needs no record.
 */
type Audited<Names extends string> =
  | { readonly audit?: OwnAudit | { readonly none: string }; readonly read?: undefined }
  | ({ readonly audit: AuditAction } & (ReadResource<Names> | NothingToRead));

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
  /** A body as one would send it; shown in the description and checked against the schema by a test. */
  readonly example?: unknown;
  /** Media types served beside JSON. */
  readonly streams?: readonly string[];
  /** Its answers are long: sent compressed to who takes that. */
  readonly isCompressed?: true;
  /** Its JSON is a stream too, which can be read by one only. */
  readonly isWrittenWhileRead?: true;
}

/** Needs no key, has no tenant. */
export interface PublicRoute extends RouteDescription {
  readonly method: 'GET';
  readonly permission: 'public';
  readonly audit?: undefined;
  /** It answers more to a key that is sent all the same; elsewhere keys are not looked at. */
  readonly takesKey?: true;
  /** @param principal null where it came without a key, or the route takes none */
  handler(services: Services, principal: Principal | null): Promise<Answer>;
}

export type TenantRoute<
  Path extends string = string,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> = TenantRouteShape<Path, Query, Body, Response> & Audited<ParamNames<Path>>;

interface TenantRouteShape<
  Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Response extends TSchema,
> extends RouteDescription {
  readonly path: Path;
  readonly permission: Permission;
  /** What each path parameter identifies, in the words of a 404. */
  readonly params?: Readonly<Record<ParamNames<Path>, string>>;
  readonly query?: Query;
  readonly body?: Body;
  /** The body is a file of this media type in place of JSON. */
  readonly consumes?: 'text/csv';
  /** It changes what a list has, which has no version: `If-Match` is refused. */
  readonly isOfList?: boolean;
  /** It reads, opens or ends a session of a browser: its answer is for that browser alone, neither shared nor kept. */
  readonly isOfBrowser?: true;
  /** Its body has the API key, and nothing else lets anybody in. */
  readonly keyInBody?: true;
  /** Everything that it does is rolled back: nothing must be kept or repeated. */
  readonly isTakenBack?: boolean;
  /** Whether it locks the tenant's revision when it is asked this. */
  readonly locksRevision?: (body: unknown) => boolean;
  /** It carries other writes out, each of which is audited by itself. */
  readonly isSeries?: true;
  /** Its `id` is a tenant's, whose routers a dry run looks at. */
  readonly isOfTenant?: true;
  /** The body may be left out, which reads as `{}`. */
  readonly bodyOptional?: boolean;
  /** A tenant has a limited number of these at a time: looked at before the body is read. */
  readonly places?: {
    requireOne(tenantId: string): void;
    take<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
  };
  /** It may be much work, whatever it is asked. */
  readonly isLarge?: true;
  /** Bytes; 1 MiB where nothing is said. */
  readonly bodyLimit?: number;
  readonly response?: Response;
  /** Tried before `handler`, by reads that must be quick; null: it takes the handler. */
  quick?(request: QuickRequest<Query>): Promise<Answer<Static<NoInfer<Response>>> | null>;
  /** What the query asks to wait for before the read, without a transaction; null: nothing. */
  wait?(request: WaitRequest<Path, Query>): Promise<void> | null;
  /** Answers with `outside`: what the database knows nothing of. It changes nothing, and its answer is not kept for an Idempotency-Key. */
  readonly asksOutside?: boolean;
  // A method on purpose: its parameters compare both ways, so that routes of all shapes fit one table.
  handler(request: TenantRequest<Path, Query, Body>): Promise<Answer<Static<NoInfer<Response>>>>;
}

export type Route = PublicRoute | TenantRoute;

/** Types a route by its path and schemas. */
export function tenantRoute<
  const Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Response extends TSchema,
>(route: TenantRoute<Path, Query, Body, Response>): TenantRoute {
  return route;
}
