/** Waits for jobs and for what follows from them, with progress on standard error. */
import type { ApiProblem, Job, JobChange, Page, Schemas } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import { say } from '../process/ask.ts';
import { named } from '../render/counted.ts';
import { inCommands } from './command-words.ts';
import type { Deadline } from './deadline.ts';
import { requireReady } from './held.ts';
import { requireApplied } from './left-to-apply.ts';
import { pastCanaries, waysPastAway } from './past-canaries.ts';
import { exitCodeOf, type Session } from './run-remote.ts';
import { type CountedPeers, shortfallsOf } from './shortfalls.ts';

export interface WaitOptions {
  /** How far to wait; undefined: not at all. */
  readonly wait?: 'built' | 'applied' | undefined;
  /**
   * The newest revision before the change that is waited for. A later one has the change, whoever built and applied it: that apply is
   * waited for.
   */
  readonly after?: number | undefined;
  /** Default: none. */
  readonly counted?: CountedPeers | undefined;
  /** Ids and names of peers whose sessions the command waits for by itself; default: none. */
  readonly awaited?: ReadonlySet<string> | undefined;
}

/** Where somebody sees what is waited for. */
export interface ProgressView {
  show(change: JobChange): void;
  /** The job has ended, or is waited for no longer. */
  end(): void;
}

/** The last job of a chain, and how the command ends that waited for it. */
export interface Waited {
  readonly job: Job;
  /** `partial` where one of the jobs left something undone. */
  readonly exitCode: number;
}

/**
 * Waits for the job, and for those that follow from it: the build that a refresh leaves to others, and the apply. Ctrl-C leaves the job
 * alone and prints the command that goes on. What a job left undone is said on standard error.
 * @throws {CommandError} where one fails, is held, or takes too long
 */
export async function waitForChain(
  session: Session,
  first: Pick<Job, 'id'>,
  options: WaitOptions,
  progress: ProgressView = new Progress(shownOf(session)),
): Promise<Waited> {
  const { deadline } = session;
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.once('SIGINT', onSignal);
  let id = first.id;
  let exitCode: number = EXIT.ok;
  try {
    for (;;) {
      const job = await session.client.waitForJob(id, {
        signal: interrupt.signal,
        ...(deadline === undefined
          ? {}
          : { timeoutSeconds: Math.max(0.5, (deadline.until - Date.now()) / 1_000) }),
        onChange: (change) => progress.show(change),
      });
      progress.end();
      // Of a refresh that fails, too: it names the sources.
      const { lines, isPartial } = await shortfallsOf(session, job, options.counted ?? [], options.awaited);
      sayOnce(session, job, lines);
      await requireSuccess(session, job);
      if (isPartial) exitCode = EXIT.partial;
      const next = await nextOf(session, job, options);
      if (next === null) {
        await requireAnnounced(session, job, options);
        return { job, exitCode };
      }
      id = next;
    }
  } catch (error) {
    progress.end();
    const goOn = `prefixcast${session.contextWords} job watch ${id}`;
    if (interrupt.signal.aborted)
      throw new CommandError(`Left; the job goes on. Watch it: ${goOn}`, EXIT.interrupted);
    if (deadline !== undefined && isOfTime(error as Error, deadline)) {
      const { at, ways } = await unfinished(session, id);
      const text = `Not done after ${deadline.seconds} s${at}; the job goes on. Watch it: ${goOn}`;
      throw new CommandError([text, ...ways].join('\n'), EXIT.timeout);
    }
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
  }
}

/** The speakers that do not run the revision of an apply yet, and what to do about it; empty where it is another job, or nobody can say. */
async function unfinished(
  session: Session,
  jobId: string,
): Promise<{ readonly at: string; readonly ways: readonly string[] }> {
  const { client } = session;
  try {
    const job = await client.get('/v1/jobs/{job_id}', { params: { path: { job_id: jobId } } });
    const { type, resource } = job;
    if (type !== 'apply' || resource?.type !== 'revision') return { at: '', ways: [] };
    const { items } = await client.get('/v1/speakers', { params: { query: { limit: 500, live: true } } });
    const left = items.filter((one) => one.enabled && one.applied_revision_id !== resource.id);
    const { names } = named(
      'speaker',
      left.map(({ name }) => name),
    );
    return { at: left.length === 0 ? '' : ` at ${names}`, ways: await waysPastAway(session, job, items) };
  } catch {
    return { at: '', ways: [] };
  }
}

/** Whether it is the time that has run out. A service that does not answer any more then is no reason of its own. */
function isOfTime(error: Error, { isOver }: Deadline): boolean {
  if (error.name === 'WaitTimeout') return true;
  return isOver && error.name === 'ApiProblem' && exitCodeOf(error as ApiProblem) === EXIT.tryAgain;
}

const said = new WeakMap<Session, Set<string>>();

/** One apply may be the end of a refresh, of a build and of a change of sessions that a command waits for. */
export function sayOnce(session: Session, { id }: Pick<Job, 'id'>, lines: readonly string[]): void {
  const before = said.get(session) ?? new Set();
  said.set(session, before);
  // A session that came back since would be another line.
  if (before.has(id)) return;
  before.add(id);
  for (const line of lines) {
    if (!before.has(line)) say(line);
    before.add(line);
  }
}

async function nextOf(
  session: Session,
  job: Job,
  { wait = 'applied', after }: WaitOptions,
): Promise<string | null> {
  const { build_job_id: build, apply_job_id: apply } = (job.result ?? {}) as Record<string, string | null>;
  if (typeof build === 'string') return build;
  if (wait !== 'applied') return null;
  if (typeof apply === 'string') return apply;
  if (job.type === 'apply') return newerApply(session, job);
  const { revision_id: id, number, revision_created: isNew } = (job.result ?? {}) as Partial<BuildResult>;
  if (after === undefined || isNew !== false || number === undefined || number <= after) return null;
  return (await newestApply(session, id))?.id ?? null;
}

/** @throws {CommandError} where a revision was built that is left to `revision apply` */
async function requireAnnounced(
  session: Session,
  { type, result }: Job,
  { wait = 'applied' }: WaitOptions,
): Promise<void> {
  const { revision_id: id } = (result ?? {}) as Record<string, unknown>;
  if (wait !== 'applied' || type === 'apply' || typeof id !== 'string') return;
  await requireApplied(session, id);
}

type BuildResult = Schemas['RevisionBuildResult'];

/** The apply that took the place of this one at a speaker, before that had begun; null: none did. */
async function newerApply(session: Session, { id, result }: Job): Promise<string | null> {
  const { speakers = [] } = (result ?? {}) as {
    readonly speakers?: readonly Schemas['SpeakerApplyResult'][];
  };
  // It runs no content that is the same, or there would be no reason.
  if (!speakers.some(({ status, error }) => status === 'unchanged' && error !== null)) return null;
  const newest = await newestApply(session);
  return newest === null || newest.id === id ? null : newest.id;
}

async function newestApply({ client }: Session, revisionId?: string): Promise<Job | null> {
  const query = { type: 'apply', limit: 1, resource_id: revisionId };
  const page = (await (await client.request('GET', '/v1/jobs', { query })).json()) as Page<Job>;
  return page.items[0] ?? null;
}

/** Of a job that has failed, and so ends the command that waits for it. */
export class FailedJob extends CommandError {
  readonly type: Job['type'];

  constructor(job: Job, message: string) {
    super(message, exitCodeOfJob(job));
    this.type = job.type;
  }
}

async function requireSuccess(session: Session, job: Job): Promise<void> {
  const { type, state, error, result } = job;
  if (state === 'cancelled') throw new CommandError(`The job ${type} was cancelled`, exitCodeOfJob(job));
  if (state === 'failed') {
    const reason = inCommands(error?.detail ?? 'no reason is known', session.contextWords);
    const past = await pastCanaries(session, job);
    throw new FailedJob(job, [`${type}: ${reason}`, ...past].join('\n'));
  }
  const { revision_state: revision, revision_id: id } = (result ?? {}) as Record<string, string | undefined>;
  if (revision !== 'held') return;
  // The job has the codes of the findings alone.
  const answer = await session.client.request('GET', `/v1/revisions/${id!}`);
  await requireReady(session, (await answer.json()) as Schemas['Revision']);
}

/** How a command ends that shows or followed this job. */
export function exitCodeOfJob({ state, error }: Pick<Job, 'state' | 'error'>): number {
  if (state === 'cancelled') return EXIT.failed;
  return state === 'failed' ? exitCodeOf({ code: error?.code ?? 'internal_error', status: 0 }) : EXIT.ok;
}

const shown = new WeakMap<Session, Set<string>>();

function shownOf(session: Session): Set<string> {
  const ended = shown.get(session) ?? new Set();
  shown.set(session, ended);
  return ended;
}

/** Nothing was changed: what ends well is no news, as little as it was asked for. */
export function expectNoNews(session: Session): void {
  const ended = shownOf(session);
  for (const type of ['module_refresh', 'peer_reconcile', 'revision_build', 'apply'])
    ended.add(`${type} succeeded`);
}

/** One line on a terminal that changes; a line for each step elsewhere. */
class Progress implements ProgressView {
  readonly #isTerminal = process.stderr.isTTY === true;
  /** How jobs ended that the command waited for: a build that finds nothing more to do, and its apply, are no news. */
  readonly #ended: Set<string>;
  #last = '';

  constructor(ended: Set<string>) {
    this.#ended = ended;
  }

  show({ type, state, progress }: JobChange): void {
    const steps =
      progress?.total === null || progress === null ? '' : ` ${progress.done}/${progress.total ?? '?'}`;
    const phase = progress === null || progress === undefined ? '' : `, ${progress.phase}${steps}`;
    const text = `${type} ${state}${state === 'running' ? phase : ''}`;
    if (text === this.#last || (this.#last === '' && this.#ended.has(text))) return;
    if (state === 'succeeded') this.#ended.add(text);
    this.#last = text;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  }

  end(): void {
    if (this.#isTerminal && this.#last !== '') process.stderr.write('\n');
    this.#last = '';
  }
}
