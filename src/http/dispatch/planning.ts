/**
 * Several writes as one, and writes that are carried out to see what comes of them, and taken back: `dry_run=true` of one, and the plan
 * of several. These are checked and handled as if they were meant; no audit log, job, event or stored answer remains.
 */
import { maskSecrets } from '../../api/activity/audit-masking.ts';
import { roleHas } from '../../api/access/permissions.ts';
import { fieldProblem, Problem, type FieldFault } from '../../api/problems/problem.ts';
import type { ChangesAnswer, Plan, PlannedAnswer, PlannedChange } from '../../api/revisions/plan.ts';
import { isUuid } from '../../api/shapes/uuid.ts';
import { rest, WAITING_WORK_MS } from '../../concurrency/slices.ts';
import { measureEffect } from '../../control/previews/effect.ts';
import { withTenants } from '../../control/previews/tenant-effect.ts';
import { refuseGivenUp } from '../../control/given-up.ts';
import { lockAudited, lockTenant } from '../../store/database/locks.ts';
import { takingBack } from '../../store/database/taking-back.ts';
import { checkPermission } from '../admission/authentication.ts';
import { expectedVersion } from '../etag.ts';
import type { Answer, Route, TenantRequest, TenantRoute } from '../route.ts';
import { DRY_RUN_MEDIA_TYPE, isPlannable, isTransactional } from '../route-rules.ts';
import { audited, nameOfSubject, type AuditedHandler } from './auditing.ts';
import { namedIds, readIds } from './path-ids.ts';
import { bodyReader, queryReader } from './request-parts.ts';

/** What several writes need to be carried out here. */
export interface Carrier {
  readonly routes: readonly Plannable[];
  /** Whether requests of other tenants come meanwhile. */
  readonly isShared: () => boolean;
}

/** What a dry run answers in place of the handler. */
export async function dryRun(
  route: TenantRoute,
  request: TenantRequest,
  perform: () => Promise<Answer>,
): Promise<Answer> {
  const { tx, context, gone } = request;
  const { id } = request.params as { readonly id?: string };
  const tenantIds = route.isOfTenant === true && id !== undefined ? [id] : [];
  const { result, effect } = await takingBack(tx, () =>
    withTenants(tx, context.secrets, tenantIds, () => measureEffect(tx, context, perform, gone)),
  );
  const { body = null } = result;
  return {
    body: { dry_run: true, status: route.status, body: maskSecrets(body), effect },
    mediaType: DRY_RUN_MEDIA_TYPE,
  };
}

/** The plan of several writes. @throws {Problem} `validation_failed` for the first that would be refused, or whose path cannot be read */
export async function planChanges(
  carrier: Carrier,
  request: TenantRequest,
  changes: readonly PlannedChange[],
): Promise<Plan> {
  requirePaths(changes);
  const { tx, context, gone } = request;
  const trial = { ...request, isTrial: true };
  const tenantIds = mayManageTenants(request) ? tenantsOf(carrier.routes, changes) : [];
  const { result, effect } = await takingBack(tx, () =>
    withTenants(tx, context.secrets, tenantIds, () =>
      measureEffect(tx, context, () => inOrder(carrier, trial, changes), gone),
    ),
  );
  return { answers: result.map((answer) => ({ ...answer, body: maskSecrets(answer.body) })), effect };
}

/**
 * Carries several writes out, each with its audit record: all of them, or none. Batches of a tenant come one after the other.
 * @throws {Problem} what the first refuses that is refused
 */
export async function carryOutChanges(
  carrier: Carrier,
  request: TenantRequest,
  changes: readonly PlannedChange[],
): Promise<ChangesAnswer> {
  requirePaths(changes);
  // As a dry run and whoever builds a revision: before whatever else the writes lock, in whatever order they stand.
  await lockTenant(request.tx, 'revision');
  await lockAudited(request.tx, subjectsOf(carrier.routes, changes));
  return { answers: await inOrder(carrier, request, changes) };
}

/** Paths begin somewhere to be read as URLs. */
const BASE = 'http://plan.invalid';

/** @throws {Problem} `validation_failed` for what cannot be read as the path of a URL */
function requirePaths(changes: readonly PlannedChange[]): void {
  for (const [index, { path }] of changes.entries())
    if (!URL.canParse(path, BASE))
      throw fieldProblem(
        `/changes/${index}/path`,
        `${JSON.stringify(path.slice(0, 100))} is no path of a URL. Give one such as /v1/modules, with its query.`,
      );
}

/** The writes refuse others by themselves, after these have been looked at. */
function mayManageTenants({ principal }: TenantRequest): boolean {
  return roleHas(principal.role, 'tenants:write');
}

/** Tenants that are there already and are written. */
function tenantsOf(routes: readonly Plannable[], changes: readonly PlannedChange[]): string[] {
  return changes.flatMap(({ method, path }) => {
    const found = routeOf(routes, method, new URL(path, BASE).pathname);
    const id = found?.route.isOfTenant === true ? found.params.id : undefined;
    return id !== undefined && isUuid(id) ? [id] : [];
  });
}

/** What the changes are about: who changes one of these alone locks it before whatever else that takes. */
function subjectsOf(routes: readonly Plannable[], changes: readonly PlannedChange[]): string[] {
  return changes.flatMap(({ method, path }) => {
    const found = routeOf(routes, method, new URL(path, BASE).pathname);
    return typeof found?.route.read === 'function' ? [nameOfSubject(found.route, found.params)] : [];
  });
}

/**
 * One after the other. They are one request at the door, and each of their steps is one that a request of another tenant waits for: while others
 * are here, each write is followed by a rest as long as it took, so that half of the time is theirs.
 */
async function inOrder(
  { routes, isShared }: Carrier,
  request: TenantRequest,
  changes: readonly PlannedChange[],
): Promise<PlannedAnswer[]> {
  const series = new ChangeSeries(routes, request);
  const answers: PlannedAnswer[] = [];
  for (const [index, change] of changes.entries()) {
    refuseGivenUp(request.gone);
    const began = performance.now();
    answers.push(await answered(index, change, request.isTrial, () => series.perform(change)));
    if (isShared() && index < changes.length - 1) await rest(began, WAITING_WORK_MS);
  }
  return answers;
}

/** Writes that follow one another in one transaction, and may refer to what those before them have created. */
class ChangeSeries {
  readonly #routes: readonly Plannable[];
  readonly #request: TenantRequest;
  /** Ids of what was created, by the ids that stand for them. */
  readonly #created = new Map<string, string>();

  /** @param request whose `isTrial` says whether all of it is taken back */
  constructor(routes: readonly Plannable[], request: TenantRequest) {
    this.#routes = routes;
    this.#request = request;
  }

  async perform(change: PlannedChange): Promise<PlannedAnswer> {
    const { method, path } = change;
    const request = this.#request;
    const { isTrial, principal, tx } = request;
    const target = new URL(path, BASE);
    const found = routeOf(this.#routes, method, target.pathname);
    if (!path.startsWith('/v1/') || found === null || !(isTrial || isTransactional(found.route)))
      throw new Problem(
        'not_found',
        `No operation that can be ${isTrial ? 'planned' : 'carried out with others'} is ${method} ${target.pathname}.`,
      );
    const { route, params: given } = found;
    if (target.searchParams.has('dry_run'))
      throw new Problem(
        'validation_failed',
        'The changes are carried out all together or not at all: leave dry_run out of their paths.',
      );
    checkPermission(principal, route.permission);
    const isFile = route.consumes !== undefined;
    if (isFile && typeof change.body !== 'string')
      throw new Problem('malformed_request', 'The body is a file here: give it as a text.');
    const ids = Object.fromEntries(
      Object.entries(given).map(([name, id]) => [name, this.#created.get(id) ?? id]),
    );
    const params = readIds(route, ids);
    const parts = {
      params: await namedIds(tx, route, params),
      named: params,
      query: queryReader(route)(queryOf(target.searchParams)),
      body: isFile ? undefined : bodyReader(route)(this.#withIds(change.body)),
      bytes: isFile ? Buffer.from(change.body as string) : new Uint8Array(),
      ifMatch: change.if_match === undefined ? null : expectedVersion(change.if_match),
    };
    const handle: AuditedHandler = isTrial ? (asked) => route.handler(asked) : audited(route);
    const perform = () => handle({ ...request, ...parts });
    const { body = null } = await (route.places?.take(principal.tenant.id, perform) ?? perform());
    const id = (body as { readonly id?: unknown } | null)?.id;
    if (change.id !== undefined && typeof id === 'string') this.#created.set(change.id, id);
    return { method, path, status: route.status, body };
  }

  /** The body with ids of what was created, in place of those that stand for them; names of members may be ids too. */
  #withIds(value: unknown): unknown {
    if (this.#created.size === 0) return value;
    if (typeof value === 'string') return this.#created.get(value) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#withIds(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.#created.get(name) ?? name, this.#withIds(member)]),
    );
  }
}

function queryOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}

interface Found {
  readonly route: TenantRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** A route that can be one of several writes, and the paths that it serves. */
interface Plannable {
  readonly route: TenantRoute;
  readonly pattern: RegExp;
}

/** Made once: a plan asks for the route of each of its writes. A path without parameters goes before one with some. */
export function plannableRoutes(routes: readonly Route[]): Plannable[] {
  const plannable: Plannable[] = [];
  for (const route of routes) {
    if (route.permission === 'public' || !isPlannable(route) || route.isSeries === true) continue;
    const pattern = route.path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    plannable.push({ route, pattern: new RegExp(`^${pattern}$`) });
  }
  return plannable.sort((a, b) => Number(isParametric(a)) - Number(isParametric(b)));
}

function isParametric({ route }: Plannable): boolean {
  return route.path.includes('{');
}

/** The route that serves the path, where it can be planned. */
function routeOf(routes: readonly Plannable[], method: string, path: string): Found | null {
  for (const { route, pattern } of routes) {
    if (route.method !== method) continue;
    const match = pattern.exec(path);
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decoded(text)]);
    return { route, params: Object.fromEntries(params) as Record<string, string> };
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A refusal names the change that it is about: of a plan as a fault of its body, else as the problem that it is. */
async function answered<T>(
  index: number,
  { method, path }: PlannedChange,
  isTrial: boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const place = `/changes/${index}`;
    const errors: FieldFault[] = error.errors.map(({ pointer, detail }) => ({
      pointer: pointer.startsWith('/') || pointer === '' ? `${place}/body${pointer}` : `${place} ${pointer}`,
      detail,
    }));
    const verdict = isTrial ? `would be refused, ${error.code}` : 'is refused, so nothing was changed';
    const detail = `${method} ${path} ${verdict}: ${error.message}`;
    throw new Problem(isTrial ? 'validation_failed' : error.code, `${place}: ${detail}`, {
      errors: errors.length > 0 ? errors : [{ pointer: place, detail }],
    });
  }
}
