/** Revisions, which their number names, or `latest` and `applied`. */
import type { Job, Schemas } from '#client';
import { readList, type ListOptions } from '../records/crud.ts';
import { column, minor, wide, type Column, type Item } from '../nouns/noun.ts';
import { say } from '../process/ask.ts';
import { EXIT } from '../process/command-error.ts';
import { counted } from '../render/counted.ts';
import { communityText, diffLines, summaryText } from '../render/diff-lines.ts';
import { type Listed, print, printAnswer, printBelow, printList, printObject } from '../render/formats.ts';
import { appliedWords } from './applied-words.ts';
import { sayOtherValues } from './other-values.ts';
import { UNFORESEEN, effectOf, isMeant, type CautionOptions, type Write } from '../session/consequences.ts';
import { standingHolds } from '../session/standing-holds.ts';
import { reasonsOf, requireNoneHeld, requireReady } from '../session/held.ts';
import { requireApplied } from '../session/left-to-apply.ts';
import { onceWritten } from '../session/once-written.ts';
import type { Session } from '../session/run-remote.ts';
import { waitForChain, type WaitOptions } from '../session/wait.ts';

type Revision = Schemas['Revision'];

const columnsWith = (applied: ReadonlyMap<string, string>): readonly Column[] => [
  column('NUMBER', 'number'),
  column('STATE', 'state'),
  column('IPV4', 'prefix_count.ipv4'),
  column('IPV6', 'prefix_count.ipv6'),
  minor(2, 'TRIGGER', 'trigger.kind'),
  minor(1, 'CREATED', 'created_at'),
  column('APPLIED', ({ id }) => applied.get(String(id))),
  wide('FIRST APPLIED', 'first_applied_at'),
  wide('PINNED', 'pinned'),
  wide('ACTOR', 'trigger.actor'),
  wide('REASON', 'reason'),
  wide('CONTENT', 'content_hash'),
];

async function json<T>(answer: Promise<Response>): Promise<T> {
  return (await (await answer).json()) as T;
}

const pathOf = (revision: string): string => `/v1/revisions/${encodeURIComponent(revision)}`;

export async function list(session: Session, options: ListOptions): Promise<void> {
  const { items, more } = await readList(session, '/v1/revisions', {}, options);
  await printList({ ...(await named(session, items)), items, more }, session.format);
}

export async function show(session: Session, revision: string): Promise<void> {
  const item = await json<Item>(session.client.request('GET', pathOf(revision)));
  // As an object, it has no such word.
  const shown = session.format === 'csv' ? [item] : [];
  await printObject(item, await named(session, shown), session.format);
}

/** Programs are given what the API says. */
async function named(session: Session, items: readonly Item[]): Promise<Omit<Listed, 'items'>> {
  const isShown = session.format === 'table' || session.format === 'wide' || session.format === 'csv';
  const applied = isShown ? await appliedWords(session, items) : new Map<string, string>();
  return { columns: columnsWith(applied), name: 'number' };
}

const PREFIX_COLUMNS: readonly Column[] = [
  column('PREFIX', 'prefix'),
  column('COMMUNITIES', ({ communities }) => communityText(communities)),
];

export interface PrefixOptions extends ListOptions {
  readonly family?: string | undefined;
  readonly contains?: string | undefined;
  readonly module?: string | undefined;
  readonly community?: string | undefined;
}

export async function prefixes(session: Session, revision: string, options: PrefixOptions): Promise<void> {
  const query = {
    family: options.family,
    contains: options.contains,
    module_id: options.module === undefined ? undefined : await session.names.idOf('module', options.module),
    community_id:
      options.community === undefined ? undefined : await session.names.idOf('community', options.community),
  };
  const { items, more } = await readList(session, `${pathOf(revision)}/prefixes`, query, options);
  await printList({ items, columns: PREFIX_COLUMNS, name: 'prefix', more }, session.format);
}

/** As git shows a difference. */
export async function diff(
  session: Session,
  [before, after]: readonly [string, string],
  options: ListOptions,
): Promise<void> {
  const path = `${pathOf(before)}/diff/${encodeURIComponent(after)}`;
  const { items, more } = await readList(session, path, {}, options);
  const columns = [
    column('CHANGE', 'change'),
    ...PREFIX_COLUMNS.slice(0, 1),
    column('COMMUNITIES', ({ change, communities_before: was, communities_after: now }) =>
      communityText(change === 'withdrawn' ? was : now),
    ),
  ];
  if (session.format !== 'table') return printList({ items, columns, name: 'prefix', more }, session.format);
  const { summary } = await json<Schemas['RevisionDiff']>(
    session.client.request('GET', path, { query: { limit: 1 } }),
  );
  print(
    diffLines(items)
      .map((line) => `${line}\n`)
      .join(''),
  );
  if (more !== undefined) printBelow(more);
  print(`${summaryText(summary)}\n`);
}

export async function build(session: Session, options: WaitOptions): Promise<number> {
  const job = await json<Job>(session.client.request('POST', '/v1/revisions'));
  const exitCode = await begun(session, job, options);
  if (options.wait === undefined) return exitCode;
  const { result } = await json<Job>(session.client.request('GET', `/v1/jobs/${job.id}`));
  await requireNoneHeld(session, (result as { quarantined?: string[] } | null)?.quarantined ?? []);
  return exitCode;
}

/** A job that has begun is waited for, or left with the command that watches it. Resolves to the exit code. */
export async function begun(session: Session, job: Job, options: WaitOptions): Promise<number> {
  if (options.wait === undefined) {
    const watch = `prefixcast${session.contextWords} job watch ${job.id}`;
    await printAnswer(job, `${job.type} begun; watch it: ${watch}`, session.format);
    return EXIT.ok;
  }
  const { job: last, exitCode } = await onceWritten(session, () => waitForChain(session, job, options));
  await printAnswer(last, await doneText(session, last), session.format);
  return exitCode;
}

/** What a job that was waited for has done, which is more than that it has ended well: progress says that. */
export async function doneText({ client }: Session, { type, resource, result }: Job): Promise<string> {
  if (type === 'apply' && resource?.type === 'revision') {
    const { number } = await json<Revision>(client.request('GET', pathOf(resource.id)));
    return `revision ${number} applied`;
  }
  if (type === 'revision_prune') {
    const { revisions } = result!;
    return `${type} done: ${counted(revisions, 'revision')} removed`;
  }
  const number = (result as { number?: number } | null)?.number;
  return `${type} done${number === undefined ? '' : `: revision ${number}`}`;
}

export async function rollback(
  session: Session,
  revision: string,
  options: WaitOptions & CautionOptions & { readonly reason?: string | undefined },
): Promise<number> {
  const target = await json<Revision>(session.client.request('GET', pathOf(revision)));
  // By its id: `latest` may be another one a moment later.
  const { reason } = options;
  const body = reason === undefined ? undefined : { reason };
  const write = { method: 'POST', path: `${pathOf(target.id)}/rollback`, body } as const;
  const standing = options['dry-run'] === true ? null : await standingAs(session, target, write);
  if (standing !== null) {
    await printAnswer(standing, runsAlreadyText(session, target, standing), session.format);
    return EXIT.ok;
  }
  const question = `Roll back to revision ${target.number}?`;
  // What it announces again although its time is over, a script reads as well.
  if (!(await isMeant(session, write, question, options, UNFORESEEN))) {
    await sayOtherValues(session, target);
    return EXIT.ok;
  }
  const made = await json<Revision & { apply_job_id: string | null }>(
    session.client.request(write.method, write.path, { body }),
  );
  await printAnswer(
    made,
    `revision ${made.number} has the content of revision ${target.number}`,
    session.format,
  );
  await sayOtherValues(session, target);
  await requireReady(session, made);
  const held = made.quarantined.flatMap(({ findings }) => findings);
  if (held.length > 0) say(`Modules that are held from now on:${reasonsOf(held)}`);
  if (options.wait !== 'applied') return EXIT.ok;
  if (made.apply_job_id === null) {
    await requireApplied(session, made.id);
    return EXIT.ok;
  }
  const job = { id: made.apply_job_id };
  return (await onceWritten(session, () => waitForChain(session, job, options))).exitCode;
}

/**
 * The latest revision, where a rollback would change nothing: neither routes, nor lists, which it would hold for what they have now. Null: it
 * would change something.
 */
async function standingAs(session: Session, target: Revision, write: Write): Promise<Revision | null> {
  const { items } = await session.client.get('/v1/revisions', {
    params: { query: { state: ['ready'], limit: 1 } },
  });
  const [latest] = items;
  if (latest === undefined || latest.content_hash !== target.content_hash) return null;
  // A service that is too busy to try it rolls back.
  const effect = await effectOf(session, write).catch((error: Error) => {
    if (error.name !== 'ApiProblem') throw error;
    return null;
  });
  if (effect === null) return null;
  const { revision, speakers, summary } = effect;
  const isSame = ({ announced, withdrawn, changed }: Schemas['DiffSummary']): boolean =>
    announced + withdrawn + changed === 0;
  if (!isSame(summary) || !speakers.every(isSame)) return null;
  const { snapshots } = await standingHolds(session, effect);
  const holds = revision?.quarantined ?? [];
  const isAnyNew = holds.some(({ module_id: id, snapshot }) => snapshots.get(id) !== snapshot);
  return isAnyNew || revision?.state === 'held' ? null : latest;
}

function runsAlreadyText({ contextWords }: Session, target: Revision, latest: Revision): string {
  const same =
    target.id === latest.id
      ? `revision ${target.number} is the latest`
      : `revision ${latest.number}, the latest, has the content of revision ${target.number}`;
  return `${same} already: nothing has changed. prefixcast${contextWords} revision list shows what ran before`;
}

export async function pin(session: Session, revision: string, pinned: boolean): Promise<void> {
  const pinnedOne = await json<Revision>(
    session.client.request('PATCH', pathOf(revision), { body: { pinned } }),
  );
  const words = `revision ${pinnedOne.number} ${pinned ? 'pinned' : 'unpinned'}`;
  await printAnswer(pinnedOne, words, session.format);
}

export async function prune(
  session: Session,
  options: WaitOptions & { readonly 'dry-run': boolean },
): Promise<number | void> {
  if (!options['dry-run'])
    return begun(session, await json<Job>(session.client.request('POST', '/v1/revisions/prune')), options);
  const estimate = await json<Item>(session.client.request('GET', '/v1/revisions/prune/estimate'));
  await printObject(
    estimate,
    { columns: [column('REVISIONS', 'revisions'), column('BYTES', 'bytes')], name: 'revisions' },
    session.format,
  );
}
