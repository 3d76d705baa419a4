/**
 * Writes the audit record of a route that changes something, in the transaction of the change: the resource before, as the route's
 * `read` finds it, and what the route answers after. Nothing here knows a resource by name, and a route without `read` does not compile,
 * so no route can be forgotten.
 */
import type { AuditAction } from '../../api/activity/audit.ts';
import { nounOf } from '../../api/activity/audit.ts';
import { NAMED_ENTRIES, namedEntries, resourceName } from '../../api/activity/audit-entries.ts';
import { differences, isMembers, secretMembers } from '../../api/activity/audit-masking.ts';
import { Job } from '../../api/activity/jobs.ts';
import { Problem } from '../../api/problems/problem.ts';
import { recordAudit, type NewAuditRecord } from '../../store/audit/audit.ts';
import { lockAudited, lockTenant } from '../../store/database/locks.ts';
import type { Answer, TenantRequest, TenantRoute } from '../route.ts';

type Members = Readonly<Record<string, unknown>>;

export type AuditedHandler = (request: TenantRequest) => Promise<Answer>;

/** The route's handler, which also writes its record. */
export function audited(route: TenantRoute): AuditedHandler {
  if (typeof route.audit !== 'string') return (request) => route.handler(request);
  const { audit: action } = route;
  const subject = typeof route.read === 'function' ? subjectOf(route, action) : null;
  return async (request) => {
    if (isDryRun(request)) return route.handler(request);
    const before = subject === null ? null : await readSubject(route, subject, request);
    const answer = await route.handler(request);
    const given = subject === null ? null : (idsOf(request)[subject.names.at(-1) ?? ''] ?? null);
    // A path may write it in capitals.
    const id = typeof before?.id === 'string' ? before.id : given;
    const record = toRecord(route, action, id, before, answer, request);
    await recordAudit(request.tx, {
      actor: request.context.actor,
      action,
      ...record,
      ...request.caller,
    });
    return answer;
  };
}

/** Says what it would change, and changes nothing. */
function isDryRun({ query }: TenantRequest): boolean {
  return isMembers(query) && query.dry_run === true;
}

/** The resource that a route changes: the one that its path names last. */
interface Subject {
  /** Path parameters, the last with its own id; none where there is only one such resource. */
  readonly names: readonly string[];
  /** The answer is the resource itself, so the record holds the difference. */
  readonly isAnswered: boolean;
}

function subjectOf(route: TenantRoute, action: AuditAction): Subject {
  return { names: namesIn(route.path), isAnswered: isAnswered(route, action) };
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

/**
 * Until the transaction ends others who change the resource of the path wait, by whatever operation. Who locks the revision as well does that
 * first, as do several writes in one.
 */
export async function lockSubject(
  route: Pick<TenantRoute, 'path' | 'locksRevision'>,
  { tx, params, body }: Pick<TenantRequest, 'tx' | 'params' | 'body'>,
): Promise<void> {
  if (route.locksRevision?.(body) === true) await lockTenant(tx, 'revision');
  await lockAudited(tx, [nameOfSubject(route, params)]);
}

/** Names the resource of the path, by whatever operation it is changed. */
export function nameOfSubject({ path }: Pick<TenantRoute, 'path'>, params: object): string {
  const end = path.lastIndexOf('}') + 1 || path.length;
  const ids = namesIn(path).map((name) => (params as Readonly<Record<string, string>>)[name]!);
  return `${path.slice(0, end).replace(/\{\w+\}/g, '{}')} ${ids.join(' ').toLowerCase()}`;
}

function isAnswered(route: TenantRoute, action: AuditAction): boolean {
  if (route.method !== 'POST') return true;
  const response: { properties?: object } | undefined = route.response;
  return (
    'id' in (response?.properties ?? {}) && ((route.response as unknown) !== Job || nounOf(action) === 'job')
  );
}

function idsOf({ params }: TenantRequest): Readonly<Record<string, string>> {
  return params;
}

/** Null when there is none: the handler says so in its own way. */
async function readSubject(
  route: TenantRoute,
  { isAnswered }: Subject,
  request: TenantRequest,
): Promise<Members | null> {
  if (typeof route.read !== 'function') return null;
  // What is read now is what the handler finds.
  if (isAnswered) await lockSubject(route, request);
  try {
    const { resource } = await route.read(request);
    return resource as Members;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}

function toRecord(
  route: TenantRoute,
  action: AuditAction,
  id: string | null,
  before: Members | null,
  { body, recorded, recordedName }: Pick<Answer, 'body' | 'recorded' | 'recordedName'>,
  request: TenantRequest,
): Pick<NewAuditRecord, 'resource' | 'changes'> {
  const after = isMembers(body) ? body : null;
  const name = resourceName(before ?? {});
  if (route.isOfList === true) return recordMany(after, request, recorded);
  if (route.method === 'DELETE') return { resource: { id, name }, changes: { before, after } };
  const isItself = before !== null && after !== null && (id === null || after.id === id);
  if (isItself) {
    const changed = withoutConsequences(withSecrets(after, request.body));
    const changes = differences(withoutConsequences(before), changed);
    return { resource: { id, name: resourceName(after) ?? name ?? recordedName ?? null }, changes };
  }
  if ((route.response as unknown) === Job && after !== null)
    return toJobRecord(action, id, name, after, isMembers(request.body) ? request.body : {});
  const made = { ...idsOf(request), ...summary(after), ...recorded, ...secretMembers(request.body) };
  if (id !== null || after === null) return { resource: { id, name }, changes: { after: made } };
  return { resource: resourceOf(onlyItem(after) ?? after), changes: { after: made } };
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
function toJobRecord(
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

/** What changed of many: which were meant, their number, and the names of the first ones. */
function recordMany(
  answer: Members | null,
  request: TenantRequest,
  recorded: Answer['recorded'],
): Pick<NewAuditRecord, 'resource' | 'changes'> {
  const { ids, filter, patch } = request.body as Members;
  const { items, deleted } = answer as { items?: readonly Members[]; deleted?: number };
  const count = items === undefined ? { deleted, ...recorded } : countItems('changed', items);
  const meant =
    filter === undefined ? { ids: (ids as readonly string[]).slice(0, NAMED_ENTRIES) } : { filter };
  const after = { ...idsOf(request), ...count, ...meant, ...(patch === undefined ? {} : { patch }) };
  return { resource: resourceOf(onlyItem(answer) ?? {}), changes: { before: null, after } };
}

/** Of many that were made at once their number, and the names of the first ones. */
function summary(body: Members | null): Members {
  if (body === null || !Array.isArray(body.items)) return body ?? {};
  const { items, ...rest } = body;
  return { ...rest, ...countItems('created', items as readonly Members[]) };
}

function countItems(fate: 'created' | 'changed', items: readonly Members[]): Members {
  const names = items.slice(0, NAMED_ENTRIES).flatMap((item) => resourceName(item) ?? []);
  const count = { [fate]: items.length };
  return { ...count, ...namedEntries({ [fate]: names }, count) };
}

/** The one item of an answer with items; null: it has more or none, or is no such answer. */
function onlyItem(answer: Members | null): Members | null {
  const items = answer?.items;
  return Array.isArray(items) && items.length === 1 ? (items[0] as Members) : null;
}

function resourceOf(made: Members): { readonly id: string | null; readonly name: string | null } {
  return { id: typeof made.id === 'string' ? made.id : null, name: resourceName(made) };
}
