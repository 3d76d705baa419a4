import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, type Job, type Page, type Schemas } from '#client';
import { begun, doneText } from '../revisions/revisions.ts';
import { readList, type ListOptions } from '../records/crud.ts';
import { column, minor, wide, type Column } from '../nouns/noun.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { say } from '../process/ask.ts';
import { print, printAnswer, printList, printObject } from '../render/formats.ts';
import { counted } from '../render/counted.ts';
import { isTerminal } from '../render/terminal.ts';
import { SpeakersView } from './speakers-view.ts';
import { inCommands } from '../session/command-words.ts';
import { pastCanaries } from '../session/past-canaries.ts';
import { onceWritten } from '../session/once-written.ts';
import type { Session } from '../session/run-remote.ts';
import { shortfallsOf } from '../session/shortfalls.ts';
import { exitCodeOfJob, sayOnce, waitForChain, type WaitOptions } from '../session/wait.ts';

const COLUMNS: readonly Column[] = [
  column('ID', 'id'),
  column('TYPE', 'type'),
  column('STATE', 'state'),
  minor(2, 'BY', 'requested_by'),
  minor(3, 'QUEUED', 'queued_at'),
  minor(1, 'FINISHED', 'finished_at'),
  wide('ERROR', 'error.detail'),
];

export async function list(
  session: Session,
  options: ListOptions & { readonly type?: string | undefined; readonly state?: string | undefined },
): Promise<void> {
  const { items, more } = await readList(
    session,
    '/v1/jobs',
    { type: options.type, state: options.state },
    options,
  );
  await printList({ items, columns: COLUMNS, name: 'id', more }, session.format);
}

/** The job of that id, or the newest: nobody needs to know an id. */
async function find({ client }: Session, id: string | undefined, type?: string): Promise<Job> {
  if (id !== undefined && id !== 'latest')
    return (await (await client.request('GET', `/v1/jobs/${encodeURIComponent(id)}`)).json()) as Job;
  const query = { limit: 1, type };
  const page = (await (await client.request('GET', '/v1/jobs', { query })).json()) as Page<Job>;
  const [newest] = page.items;
  if (newest === undefined)
    throw new CommandError(
      `There is no ${type === undefined ? 'job' : `job of type ${type}`} yet`,
      EXIT.notFound,
    );
  return newest;
}

export async function watch(session: Session, id: string | undefined): Promise<number> {
  const { job, exitCode } = await waitForChain(session, await find(session, id), { counted: 'all' });
  await printAnswer(job, await doneText(session, job), session.format);
  return exitCode;
}

/** Of an apply, its end is waited for: speakers that had begun go on, and the table says what became of each. */
export async function applyCancel(session: Session, id: string | undefined): Promise<void> {
  const job = await find(session, id, 'apply');
  await session.client.request('POST', `/v1/jobs/${job.id}/cancel`);
  await session.client.waitForJob(job.id);
  await applyStatus(session, job.id);
  if (session.format === 'table')
    say('Speakers that have the revision keep it. To go back: prefixcast revision rollback NUMBER');
}

export async function cancel(session: Session, id: string | undefined): Promise<void> {
  const job = await find(session, id);
  const now = (await (await session.client.request('POST', `/v1/jobs/${job.id}/cancel`)).json()) as Job;
  const words = `${now.type} ${now.state === 'cancelled' ? 'cancelled' : 'is asked to stop'}`;
  await printAnswer(now, words, session.format);
}

const speakerColumns = ({ contextWords }: Session): readonly Column[] => [
  column('SPEAKER', 'speaker_id', 'speaker'),
  column('STATUS', 'status'),
  column('ANNOUNCED', 'announced'),
  column('WITHDRAWN', 'withdrawn'),
  column('CHANGED', 'changed'),
  column('WAVE', 'wave'),
  column('ERROR', ({ error }) => (typeof error === 'string' ? inCommands(error, contextWords) : error)),
];

/** How the newest apply went at each speaker. Resolves to the exit code that says so. */
export async function applyStatus(session: Session, id: string | undefined): Promise<number> {
  const job = await find(session, id, 'apply');
  if (session.format !== 'table' && session.format !== 'wide' && session.format !== 'csv')
    await printObject(job, { columns: COLUMNS, name: 'id' }, session.format);
  else {
    const revision = await revisionOf(session, job);
    if (session.format !== 'csv')
      print(
        `apply of revision ${revision}: ${job.state}${job.error === null ? '' : `: ${inCommands(job.error.detail, session.contextWords)}`}\n`,
      );
    const items = job.type === 'apply' ? (job.result?.speakers ?? []) : [];
    const names = await session.names.byId(['speaker']);
    if (items.length > 0)
      await printList({ items, columns: speakerColumns(session), name: 'speaker_id', names }, session.format);
  }
  const { lines, isPartial } = await shortfallsOf(session, job, 'all');
  // `apply watch` has said them while it waited.
  sayOnce(session, job, [...lines, ...(await pastCanaries(session, job))]);
  return job.state === 'succeeded' && isPartial ? EXIT.partial : exitCodeOfJob(job);
}

async function revisionOf({ client }: Session, job: Job): Promise<string> {
  const applied = job.type === 'apply' ? job.result?.revision_id : undefined;
  const id = job.resource?.type === 'revision' ? job.resource.id : (applied ?? 'latest');
  const path = `/v1/revisions/${encodeURIComponent(id)}`;
  const revision = (await (await client.request('GET', path)).json()) as Schemas['Revision'];
  return String(revision.number);
}

/** Goes on until the apply has ended; a terminal shows where each speaker is. */
export async function applyWatch(session: Session, id: string | undefined): Promise<number> {
  const job = await find(session, id, 'apply');
  const view = isTerminal() && !hasEnded(job) ? new SpeakersView(session, job.id) : undefined;
  await waitForChain(session, job, {}, view).catch((error: unknown) => {
    if (
      !(error instanceof CommandError) ||
      error.exitCode === EXIT.timeout ||
      error.exitCode === EXIT.interrupted
    )
      throw error;
  });
  view?.clear();
  return applyStatus(session, job.id);
}

/** Applies that are looked through for one of a revision: a change of a peer has applies that only keep speakers at theirs. */
const LOOKED_THROUGH = 50;

async function newestToRetry(session: Session): Promise<Job> {
  const query = { limit: LOOKED_THROUGH, type: 'apply' };
  const page = (await (await session.client.request('GET', '/v1/jobs', { query })).json()) as Page<Job>;
  const found = page.items.find(({ resource }) => resource?.type === 'revision');
  return found ?? find(session, undefined, 'apply');
}

export async function applyRetry(
  session: Session,
  id: string | undefined,
  options: WaitOptions,
): Promise<number> {
  const job = id === undefined ? await newestToRetry(session) : await find(session, id, 'apply');
  const answer = await session.client.request('POST', '/v1/apply', { body: { retry_of: job.id } });
  const retried = (await answer.json()) as Job;
  if (options.wait === undefined) return begun(session, retried, options);
  const { job: last, exitCode } = await onceWritten(session, () =>
    waitForChain(session, retried, { ...options, counted: 'all' }),
  );
  const isWell = exitCode === EXIT.partial && (await haveTaken(session, last));
  await printAnswer(last, await doneText(session, last), session.format);
  return isWell ? EXIT.ok : exitCode;
}

/** Longest that routers are waited for after the apply, in milliseconds: it has let their speaker connect at once. */
const TAKE_MS = 30_000;
const LOOK_MS = 500;

/**
 * A retry ends before a router that was put back is sent the routes again: that has to have a session, and what it held before. Waits for such
 * routers.
 * @returns whether all of them have taken the routes, and nothing else is amiss
 */
async function haveTaken({ client, deadline, names, contextWords }: Session, job: Job): Promise<boolean> {
  const speakers = (job.type === 'apply' ? job.result?.speakers : undefined) ?? [];
  const peers = speakers.flatMap(({ speaker_id: speakerId, peers: all }) =>
    all.map((peer) => ({ speakerId, ...peer })),
  );
  let left = peers.filter(({ status }) => status === 'reverted');
  if (left.length === 0) return false;
  say(`Waiting for ${counted(left.length, 'router')}: ${left.map(({ name }) => name).join(', ')}`);
  const called = await names.byId(['speaker']);
  const until = Math.min(Date.now() + TAKE_MS, deadline?.until ?? Infinity);
  for (;;) {
    const well = new Set<string>();
    for (const id of new Set(left.map(({ speakerId }) => speakerId))) {
      const params = { path: { speaker_id: id }, query: { live: true } };
      const { live } = await client.get('/v1/speakers/{speaker_id}', { params });
      for (const { state, reverted, peer_id: peerId } of live?.sessions ?? [])
        if (state === 'established' && reverted === null) well.add(`${id} ${peerId}`);
    }
    const isWell = ({ speakerId, peer_id: id }: (typeof left)[number]): boolean =>
      well.has(`${speakerId} ${id}`);
    for (const one of left.filter(isWell))
      say(`${one.name} at ${called.get(one.speakerId) ?? one.speakerId} has it now`);
    left = left.filter((one) => !isWell(one));
    if (left.length === 0) return !peers.some(({ status }) => AMISS.has(status));
    if (Date.now() >= until) {
      say(
        `Speakers go on calling, once a minute at least, and send it then: prefixcast${contextWords} session watch shows when`,
      );
      return false;
    }
    await sleep(LOOK_MS);
  }
}

const AMISS: ReadonlySet<string> = new Set(['failed', 'over_limit', 'incomplete']);
