/**
 * Writes that are carried out to see what comes of them, and taken back: `dry_run=true` of one, and the plan of several. They are
 * checked and handled as if they were meant; no audit log, job, event or stored answer remains.
 */
import { maskSecrets } from '../../api/activity/audit-masking.ts';
import { Problem, type FieldFault } from '../../api/problems/problem.ts';
import type { Plan, PlannedAnswer, PlannedChange } from '../../api/revisions/plan.ts';
import { measureEffect } from '../../control/revisions/effect.ts';
import { takingBack } from '../../store/database/taking-back.ts';
import { checkPermission } from '../admission/authentication.ts';
import {
  DRY_RUN_MEDIA_TYPE,
  isPlannable,
  type Answer,
  type Route,
  type TenantRequest,
  type TenantRoute,
} from '../route.ts';
import { namedIds, readIds } from './path-ids.ts';
import { bodyReader, queryReader } from './request-parts.ts';

/** What a dry run answers in place of the handler. */
export async function dryRun(
  route: TenantRoute,
  request: TenantRequest,
  perform: () => Promise<Answer>,
): Promise<Answer> {
  const { tx, context } = request;
  const { result, effect } = await takingBack(tx, () => measureEffect(tx, context, perform));
  const { body = null } = result;
  return {
    body: { dry_run: true, status: route.status, body: maskSecrets(body), effect },
    mediaType: DRY_RUN_MEDIA_TYPE,
  };
}

/** The plan of several writes. @throws {Problem} `validation_failed` for the first that would be refused */
export async function planChanges(
  routes: readonly Route[],
  request: TenantRequest,
  changes: readonly PlannedChange[],
): Promise<Plan> {
  const { tx, context } = request;
  const performAll = async (): Promise<PlannedAnswer[]> => {
    const answers: PlannedAnswer[] = [];
    for (const [index, change] of changes.entries())
      answers.push(await told(index, change, () => performChange(routes, request, change)));
    return answers;
  };
  const { result: answers, effect } = await takingBack(tx, () => measureEffect(tx, context, performAll));
  return { answers, effect };
}

async function performChange(
  routes: readonly Route[],
  request: TenantRequest,
  { method, path, body }: PlannedChange,
): Promise<PlannedAnswer> {
  const target = new URL(path, 'http://plan.invalid');
  const found = routeOf(routes, method, target.pathname);
  if (!path.startsWith('/v1/') || found === null)
    throw new Problem('not_found', `No operation that can be planned is ${method} ${target.pathname}.`);
  const { route, params: given } = found;
  if (target.searchParams.has('dry_run'))
    throw new Problem(
      'validation_failed',
      'Nothing of a plan is carried out: leave dry_run out of its paths.',
    );
  checkPermission(request.principal, route.permission);
  const isFile = route.consumes !== undefined;
  if (isFile && typeof body !== 'string')
    throw new Problem('malformed_request', 'The body is a file here: give it as a text.');
  const parts = {
    params: await namedIds(request.tx, route, readIds(route, given)),
    query: queryReader(route)(queryOf(target.searchParams)),
    body: isFile ? undefined : bodyReader(route)(body),
    bytes: isFile ? Buffer.from(body as string) : new Uint8Array(),
    ifMatch: null,
    isTrial: true,
  };
  const perform = () => route.handler({ ...request, ...parts } as TenantRequest);
  const { id: tenantId } = request.principal.tenant;
  const answer = await (route.places?.take(tenantId, perform) ?? perform());
  return { method, path, status: route.status, body: maskSecrets(answer.body ?? null) };
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

/** The route that serves the path, where it can be planned. A path without parameters goes before one with some. */
function routeOf(routes: readonly Route[], method: string, path: string): Found | null {
  const found: Found[] = [];
  for (const route of routes) {
    if (route.permission === 'public' || route.method !== method || !isPlannable(route)) continue;
    const pattern = route.path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decoded(text)]);
    found.push({ route, params: Object.fromEntries(params) as Record<string, string> });
  }
  return found.find(({ params }) => Object.keys(params).length === 0) ?? found[0] ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A refusal tells which of the changes it is about. */
async function told<T>(index: number, { method, path }: PlannedChange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const place = `/changes/${index}`;
    const errors: FieldFault[] = error.errors.map(({ pointer, detail }) => ({
      pointer: pointer.startsWith('/') || pointer === '' ? `${place}/body${pointer}` : `${place} ${pointer}`,
      detail,
    }));
    const detail = `${method} ${path} would be refused, ${error.code}: ${error.message}`;
    throw new Problem('validation_failed', `${place}: ${detail}`, {
      errors: errors.length > 0 ? errors : [{ pointer: place, detail }],
    });
  }
}
