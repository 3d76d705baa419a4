/** Brings a tenant to what a plan says: in one transaction, unless there is too much for one. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiProblem, Schemas } from '#client';
import { MAXIMUM_CHANGES, type PlannedAnswer } from '../../api/revisions/plan.ts';
import { say } from '../process/ask.ts';
import type { Session } from '../session/run-remote.ts';
import type { FileFault } from './documents.ts';
import type { Members } from './kinds.ts';
import { readEntries, recordOfEntries } from './entry-changes.ts';
import { ownershipPatch, readOwnership } from './ownership.ts';
import type { SetPlan } from './plan.ts';
import { refuseFileFaults } from './read-set.ts';
import { refusedAt } from './refusals.ts';
import { secretReader } from './secrets.ts';
import { MAXIMUM_BYTES, sizeOf, writesOf, type Write } from './writes.ts';

/** Entries of a module that a request has deleted, which come back together. */
export interface Removal {
  readonly module: string;
  readonly batch: string;
  /** It has created others beside. */
  readonly isReplaced: boolean;
}

export interface CarriedOut {
  /** Of modules that were created, changed or deleted. */
  readonly moduleIds: readonly string[];
  /** What was removed of lists. */
  readonly removals: readonly Removal[];
  /** What is shown once, such as the secret of a webhook, by what it is of. */
  readonly shownOnce: readonly { readonly of: string; readonly secret: string }[];
  /** Whether it needed one request only, all or nothing. */
  readonly requests: number;
}

/** @throws {CommandError} for secrets that are missing, and for what the service refuses: then nothing of the request was done */
export async function carryOut(session: Session, plan: SetPlan): Promise<CarriedOut> {
  const { changes, settings, live, standIns, etags } = plan;
  const faults: FileFault[] = [];
  const readSecret = secretReader((fault) => faults.push(fault));
  const writes = writesOf(changes, settings, { live, standIns, etags, readSecret }, ownershipOf(plan));
  refuseFileFaults(faults);
  const created = new Map<string, string>();
  const answers: [Write, PlannedAnswer][] = [];
  const parts = partsOf(writes);
  for (const part of parts) {
    const body = { changes: part.map(({ request }) => withIds(request, created)) };
    const answer = await refusedAt(part, () => session.client.request('POST', '/v1/changes', { body }));
    const done = ((await answer.json()) as Schemas['ChangesAnswer']).answers as readonly PlannedAnswer[];
    for (const [index, write] of part.entries()) {
      answers.push([write, done[index]!]);
      const id = (done[index]!.body as Members | null)?.id;
      if (write.request.id !== undefined && typeof id === 'string') created.set(write.request.id, id);
    }
  }
  await recordEntries(session, plan, created).catch((error: unknown) => {
    if ((error as Error).name !== 'ApiProblem') throw error;
    say(
      `Applied. Entries that are changed by hand are not marked until the next apply: ${(error as Error).message}`,
    );
  });
  const modules = answers.flatMap(([{ change, part }, { body }]) =>
    change?.kind === 'module' && part === 'object' ? [change.live?.id ?? String((body as Members).id)] : [],
  );
  const filled = writes.flatMap(({ change, part }) => (part === 'entries' ? (change?.live?.id ?? []) : []));
  return {
    moduleIds: [...new Set([...modules, ...filled])],
    removals: removalsOf(answers),
    shownOnce: answers.flatMap(shownOnce),
    requests: parts.length,
  };
}

/** Several imports of one request are one removal. */
function removalsOf(answers: readonly (readonly [Write, PlannedAnswer])[]): Removal[] {
  const removals = new Map<string, Removal>();
  const creating = new Set<string>();
  for (const [{ change, part }, { body }] of answers) {
    if (part !== 'entries' || change === null) continue;
    const { created, batch } = body as Schemas['EntryImport'];
    if (created > 0) creating.add(change.name);
    if (batch !== null) removals.set(batch, { module: change.name, batch, isReplaced: false });
  }
  return [...removals.values()].map((one) => ({ ...one, isReplaced: creating.has(one.module) }));
}

/**
 * Keeps which entries there are now, as the service has them: what differs from that later was changed by hand. Where another apply has come
 * between, that one knows.
 */
async function recordEntries(
  { client, ...session }: Session,
  { set, owns, changes }: SetPlan,
  created: ReadonlyMap<string, string>,
): Promise<void> {
  if (set === null || owns === null) return;
  const records = new Map([...owns].map(([id, record]) => [created.get(id) ?? id, record]));
  const written = changes.filter(({ imports }) => imports.length > 0).map(({ name }) => name);
  const modules = [...records].filter(([, [kind, name]]) => kind === 'module' && written.includes(name));
  if (modules.length === 0) return;
  const { settings, etag } = await readSettings({ client });
  if (!isDeepStrictEqual(readOwnership(settings).get(set), records)) return;
  for (const [id, [kind, name, state, file = '']] of modules)
    records.set(id, [
      ...([kind, name, state, file] as const),
      ...recordOfEntries(await readEntries({ client, ...session }, id)),
    ]);
  try {
    const body = ownershipPatch(settings, set, records);
    await client.request('PATCH', '/v1/settings', { body, headers: { 'if-match': etag } });
  } catch (error) {
    if ((error as ApiProblem).status !== 412) throw error;
  }
}

async function readSettings({
  client,
}: Pick<Session, 'client'>): Promise<{ settings: Members; etag: string }> {
  const answer = await client.request('GET', '/v1/settings');
  const { settings } = (await answer.json()) as { readonly settings: Members };
  return { settings, etag: answer.headers.get('etag')! };
}

function ownershipOf({ set, owns, others, live }: SetPlan): Record<string, unknown> {
  if (set === null || owns === null) return {};
  const { values } = live.settings;
  return Object.assign(
    ownershipPatch(values, set, owns),
    ...others.map((other) => ownershipPatch(values, other.set, other.owns)),
  ) as Record<string, unknown>;
}

/** What one request may have; the last of several has what the set owns. */
function partsOf(writes: readonly Write[]): Write[][] {
  const parts: Write[][] = [];
  let room = 0;
  for (const write of writes) {
    const size = sizeOf(write);
    if (size > room || parts.at(-1)!.length === MAXIMUM_CHANGES) {
      parts.push([]);
      room = MAXIMUM_BYTES;
    }
    room -= size;
    parts.at(-1)!.push(write);
  }
  return parts;
}

/** With the ids of what an earlier request has created. */
function withIds<T>(request: T, created: ReadonlyMap<string, string>): T {
  if (created.size === 0) return request;
  let text = JSON.stringify(request);
  for (const [standIn, id] of created) text = text.replaceAll(standIn, id);
  return JSON.parse(text) as T;
}

function shownOnce([{ change, part }, { body, status }]: readonly [
  Write,
  PlannedAnswer,
]): CarriedOut['shownOnce'] {
  if (part !== 'object' || status !== 201 || change === null) return [];
  const { secret, token } = (body ?? {}) as Readonly<Record<'secret' | 'token', string | undefined>>;
  const shown = secret ?? token;
  return shown === undefined ? [] : [{ of: `${change.kind} ${change.name}`, secret: shown }];
}
