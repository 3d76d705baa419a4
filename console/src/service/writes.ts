/** Writes that are planned before they are made, and resources that are changed only as they were read. */
import { ApiProblem, type Schemas } from '@prefixcast/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { nextTask } from './next-task.ts';

export type Plan = Schemas['Plan'];

/** A request that changes something. A body that is a text is a file of entries. */
export interface Write {
  readonly method: Schemas['PlannedChange']['method'];
  /** Stands in the writes behind it for the id of what it creates, where they are made together. */
  readonly id?: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
}

const CSV = { 'content-type': 'text/csv' };

/** What the next revision would be with these writes; none of them is made. */
export async function planWrites(writes: readonly Write[], signal?: AbortSignal): Promise<Plan> {
  const body = { changes: writes.map((write) => ({ ...write })) };
  return client.post('/v1/revisions/plan', {
    body,
    ...(writes.some(isFile) ? { bodySerializer: returning(await encodedInParts(body)) } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
}

/**
 * As {@link planWrites}, for a window that shows it.
 * @param basis what it is planned on: with another one, it is planned again
 */
export const plannedQuery = (writes: readonly Write[], basis = '') =>
  queryOptions({
    queryKey: ['plan', writes, basis],
    queryFn: ({ signal }) => planWrites(writes, signal),
    ...{ staleTime: 0, gcTime: 0 },
  });

function isFile({ body }: Write): boolean {
  return typeof body === 'string';
}

/** A hundred thousand lines block the page for twice as long as they may where all of this is one task. */
async function encodedInParts(body: unknown): Promise<Blob> {
  const json = JSON.stringify(body);
  await nextTask();
  const bytes = new Blob([json]);
  await nextTask();
  return bytes;
}

function returning<T>(value: T): () => T {
  return () => value;
}

/** Things that are made of words for people alone, and change no route. */
const SAID_ONLY: ReadonlySet<string> = new Set(['name', 'title', 'label', 'description', 'note']);
/** What routes are made of, and who is sent them. */
const OF_ROUTES = /^\/v1\/(?:modules|peers|speakers|communities)\//;

/** Whether a change of these members may change routes, or who is sent them. */
export function mayChangeRoutes({ path, body }: Write): boolean {
  return OF_ROUTES.test(path) && Object.keys(body as Members).some((name) => !SAID_ONLY.has(name));
}

/** The plan of one write; null where the write is refused, which it says best itself. */
export async function planUnlessRefused(write: Write): Promise<Plan | null> {
  try {
    return await planWrites([write]);
  } catch (error) {
    if (error instanceof ApiProblem && REFUSALS.has(error.status)) return null;
    throw error;
  }
}

const REFUSALS: ReadonlySet<number> = new Set([403, 404, 409, 422]);

/** @returns what the service answers; null where that is nothing */
export async function carryOut(
  { method, path, body }: Write,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await client.request(method, path, {
    body,
    headers: { ...(typeof body === 'string' ? CSV : {}), ...headers },
  });
  return answer.status === 204 ? null : answer.json();
}

/** One after the other; the first that is refused ends it. */
export async function carryOutAll(writes: readonly Write[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const write of writes) answers.push(await carryOut(write));
  return answers;
}

/** All of them in one transaction, or none. */
export async function carryOutTogether(writes: readonly Write[]): Promise<readonly unknown[]> {
  const { answers } = await client.post('/v1/changes', { body: { changes: [...writes] } });
  return answers.map(({ body }) => body);
}

export type Members = Readonly<Record<string, unknown>>;

/** A resource, and the version that was read. */
export interface Versioned {
  readonly members: Members;
  readonly etag: string | null;
}

export async function readVersioned(path: string): Promise<Versioned> {
  const answer = await client.request('GET', path);
  return { members: (await answer.json()) as Members, etag: answer.headers.get('etag') };
}

/** What the service says is wrong with one field, such as `/name`, be it of a write or of its plan. */
export function faultAt(error: Error | null, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errors.find((fault) => isFaultAt(fault, pointer))?.detail;
}

export function isFaultAt(fault: { readonly pointer: string }, pointer: string): boolean {
  return (
    fault.pointer === pointer ||
    fault.pointer.endsWith(`/body${pointer}`) ||
    // In a list, at one of its lines.
    fault.pointer.startsWith(`${pointer}/`)
  );
}

/** Whether something else holds what it needs for a moment. */
export function isBusy(error: Error): boolean {
  return error instanceof ApiProblem && error.code === 'busy';
}

/** Whether it is not there, or not any more. */
export function isGone(error: Error | null): error is ApiProblem {
  return error instanceof ApiProblem && error.code === 'not_found';
}

/** Whether somebody else changed it since it was read. */
export function isOutdated(error: Error | null): boolean {
  return error instanceof ApiProblem && error.code === 'precondition_failed';
}
