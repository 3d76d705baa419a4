/**
 * Writes the audit record of a route that changes something, in the transaction of the change: the resource as its own GET route
 * shows it before, what the route answers after. Nothing here knows a resource by name, so no route can be forgotten.
 */
import type { AuditAction } from '../api/audit.ts';
import { nounOf } from '../api/audit.ts';
import { differences, isMembers, secretMembers } from '../api/audit-masking.ts';
import { Job } from '../api/jobs.ts';
import { Problem } from '../api/problem.ts';
import { recordAudit, type NewAuditRecord } from '../store/audit.ts';
import { lockAudited } from '../store/database/locks.ts';
import type { Answer, Route, TenantRequest, TenantRoute } from './route.ts';

type Members = Readonly<Record<string, unknown>>;

/** How a request is told in the audit log. */
export interface Caller {
  readonly requestId: string;
  readonly address: string;
}

export type AuditedHandler = (request: TenantRequest, caller: Caller) => Promise<Answer>;

/** The route's handler, which also writes its record. */
export function audited(route: TenantRoute, routes: readonly Route[]): AuditedHandler {
  const { audit } = route;
  if (typeof audit !== 'string') return (request) => route.handler(request);
  const subject = subjectOf(route, audit, routes);
  return async (request, caller) => {
    if (isDryRun(request)) return route.handler(request);
    const before = subject === null ? null : await readSubject(subject, request);
    const answer = await route.handler(request);
    const given = subject?.param === undefined ? null : idsOf(request)[subject.param]!;
    // A path may write it in capitals.
    const id = typeof before?.id === 'string' ? before.id : given;
    const told = tell(route, audit, id, before, answer.body, request);
    await recordAudit(request.tx, { actor: request.context.actor, action: audit, ...told, ...caller });
    return answer;
  };
}

/** Says what it would change, and changes nothing. */
function isDryRun({ query }: TenantRequest): boolean {
  return isMembers(query) && query.dry_run === true;
}

/** What a route changes, and the route that reads it. */
interface Subject {
  readonly read: TenantRoute | null;
  /** Whether the answer tells the resource itself, so that the difference is what the record tells. */
  readonly isAnswered: boolean;
  /** The path parameter with its id; undefined where there is only one of it. */
  readonly param: string | undefined;
  readonly path: string;
}

/** The resource that the path names by the noun of the action, or for PATCH and DELETE whatever the path names. */
function subjectOf(route: TenantRoute, action: AuditAction, routes: readonly Route[]): Subject | null {
  const named = Object.entries<string>(route.params ?? {}).find(
    ([, noun]) => noun.toLowerCase().replaceAll(' ', '_') === nounOf(action),
  );
  if (named === undefined && route.method === 'POST') return null;
  const param = named?.[0];
  const path = param === undefined ? route.path : upTo(route.path, `{${param}}`);
  const read = routes.find(
    (other): other is TenantRoute =>
      other.method === 'GET' && other.permission !== 'public' && shapeOf(other.path) === shapeOf(path),
  );
  return { read: read ?? null, isAnswered: isAnsweredBy(route, read), param, path };
}

function isAnsweredBy(route: TenantRoute, read: TenantRoute | undefined): boolean {
  if (route.method !== 'POST') return true;
  const answers = (schema: unknown): boolean => (route.response as unknown) === schema;
  const members = (route.response as { properties?: object } | undefined)?.properties ?? {};
  return 'id' in members && (!answers(Job) || answers(read?.response));
}

function upTo(path: string, part: string): string {
  return path.slice(0, path.indexOf(part) + part.length);
}

function shapeOf(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

function idsOf({ params }: TenantRequest): Readonly<Record<string, string>> {
  return params;
}

/** Null when there is none: the handler says so in its own way. */
async function readSubject(
  { read, path, isAnswered }: Subject,
  request: TenantRequest,
): Promise<Members | null> {
  if (read === null) return null;
  const values = namesIn(path).map((name) => idsOf(request)[name]!);
  // Others who change it wait, so that what is read now is what the handler finds.
  if (isAnswered) await lockAudited(request.tx, `${shapeOf(path)} ${values.join(' ').toLowerCase()}`);
  const params = Object.fromEntries(namesIn(read.path).map((name, index) => [name, values[index]!]));
  try {
    const { body } = await read.handler({ ...request, params, query: {}, body: undefined, ifMatch: null });
    return isMembers(body) ? body : null;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}

function tell(
  route: TenantRoute,
  action: AuditAction,
  id: string | null,
  before: Members | null,
  body: unknown,
  request: TenantRequest,
): Pick<NewAuditRecord, 'resource' | 'changes'> {
  const after = isMembers(body) ? body : null;
  const name = nameOf(before ?? {});
  if (route.method === 'DELETE') return { resource: { id, name }, changes: { before, after } };
  const isItself = before !== null && after !== null && (id === null || after.id === id);
  if (isItself) {
    const changed = withoutConsequences(withSecrets(after, request.body));
    const changes = differences(withoutConsequences(before), changed);
    return { resource: { id, name: nameOf(after) ?? name }, changes };
  }
  if ((route.response as unknown) === Job && after !== null)
    return tellJob(action, id, name, after, isMembers(request.body) ? request.body : {});
  const made = { ...idsOf(request), ...summary(after), ...secretMembers(request.body) };
  if (id !== null || after === null) return { resource: { id, name }, changes: { after: made } };
  const ownId = typeof after.id === 'string' ? after.id : null;
  return { resource: { id: ownId, name: nameOf(after) }, changes: { after: made } };
}

/** The answer, and in place of what it hides what was sent. Of headers it shows which there are: some stay as they were, some went. */
function withSecrets(after: Members, body: unknown): Members {
  const sent = Object.entries(secretMembers(body)).map(([name, value]) => {
    const shown = after[name];
    if (!isMembers(shown) || !isMembers(value)) return [name, value];
    return [name, Object.fromEntries(Object.keys(shown).map((key) => [key, value[key] ?? shown[key]]))];
  });
  return { ...after, ...Object.fromEntries(sent) } as Members;
}

/** Without what follows from any change. */
function withoutConsequences({ updated_at: _, pending_changes: __, ...members }: Members): Members {
  return members;
}

/** Work that was queued: its resource is what it works on, where the path does not say that. */
function tellJob(
  action: AuditAction,
  id: string | null,
  name: string | null,
  job: Members,
  asked: Members,
): Pick<NewAuditRecord, 'resource' | 'changes'> {
  const target = job.resource as { type: string; id: string } | null;
  const ownId = id ?? (target?.type === nounOf(action) ? target.id : null);
  return {
    resource: { id: ownId, name },
    changes: { after: { ...asked, job_id: job.id, job_type: job.type } },
  };
}

/** Of many that were made at once their number. */
function summary(body: Members | null): Members {
  if (body === null || !Array.isArray(body.items)) return body ?? {};
  const { items, ...rest } = body;
  return { ...rest, created: (items as readonly unknown[]).length };
}

const NAMES = ['name', 'title', 'domain', 'cidr', 'asn', 'number'] as const;

function nameOf(resource: Members): string | null {
  const name = NAMES.map((member) => resource[member]).find((value) => value !== undefined && value !== null);
  return typeof name === 'string' || typeof name === 'number' ? String(name) : null;
}
