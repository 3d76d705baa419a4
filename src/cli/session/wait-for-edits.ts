/** Waits for what edits lead to, where `--wait` says so. */
import type { Job, Page, Schemas } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import { say } from '../process/ask.ts';
import type { EndedSessions } from './ended-sessions.ts';
import { isFrozen } from './freeze.ts';
import type { ForeseenHolds } from './foreseen-holds.ts';
import { requireNoneHeld } from './held.ts';
import { hostsBefore, waitForHosts, type HostsBefore } from './hosts.ts';
import { onceWritten } from './once-written.ts';
import type { Session } from './run-remote.ts';
import { FailedJob, waitForChain, type WaitOptions } from './wait.ts';

/** What an edit is of: what follows from it beside a build, and whether a freeze stops that. */
type EditOf = 'entries' | 'sessions' | 'next_hops' | 'routes';

/** The jobs that it may cause beside the build; null: none. */
const CAUSED: Readonly<Record<EditOf, Job['type'] | null>> = {
  entries: 'module_refresh',
  sessions: 'peer_reconcile',
  next_hops: 'peer_reconcile',
  routes: null,
};

/** What there was before an edit, to distinguish what follows from it. */
export interface BeforeEdit {
  readonly of: EditOf;
  /** Undefined: of anything. */
  readonly resourceId: string | undefined;
  readonly newest: Job | null;
  /** The number of the newest revision; 0: there was none. */
  readonly revision: number;
  /** Null: no firewall host is waited for. */
  readonly hosts: HostsBefore | null;
}

/** @returns null: nothing is waited for */
export async function beforeEdit(
  session: Session,
  of: EditOf,
  resourceId: string | undefined,
  { wait }: WaitOptions,
): Promise<BeforeEdit | null> {
  if (wait === undefined) return null;
  const [newest, revision, hosts] = await Promise.all([
    newestJob(session, of, resourceId),
    newestRevision(session),
    wait === 'applied' ? hostsBefore(session) : null,
  ]);
  return { of, resourceId, newest, revision, hosts };
}

/**
 * An edit leads to a revision by itself: asked for, the build that has it is waited for. Other modules that are held are no matter of it.
 * @returns the exit code
 */
export async function waitForEdits(
  session: Session,
  before: BeforeEdit | null,
  moduleIds: readonly string[],
  options: WaitOptions,
): Promise<number> {
  if (before === null) return EXIT.ok;
  return onceWritten(session, async () => {
    const left = { ...options, after: before.revision };
    const { exitCode } = await waitForChain(session, await requestBuild(session), left);
    await requireNoneHeld(session, moduleIds);
    const hosts = await waitForHosts(session, before.hosts);
    return exitCode === EXIT.ok ? hosts : exitCode;
  });
}

/**
 * An edit of entries leads to a revision by itself: the refresh that reads new sources is waited for, and the build that has
 * the edit.
 * @param before the refreshes of the module
 * @returns the exit code: `partial` too where sources could not be read
 */
export async function waitForEntries(
  session: Session,
  before: BeforeEdit | null,
  options: WaitOptions,
): Promise<number> {
  if (before === null) return EXIT.ok;
  return onceWritten(session, async () => {
    const left = { ...options, after: before.revision };
    const build = await requestBuild(session);
    const refresh = await causedJob(session, before);
    const read = refresh === null ? EXIT.ok : await waitForRefresh(session, refresh, left);
    const { exitCode } = await waitForChain(session, build, left);
    await requireNoneHeld(session, [before.resourceId!]);
    if (exitCode === EXIT.partial) await sayRollback(session, before);
    const hosts = await waitForHosts(session, before.hosts);
    return [exitCode, read].find((code) => code !== EXIT.ok) ?? hosts;
  });
}

/** A router could not take it: what undoes the edit may be held as a large withdrawal, and a rollback never is. */
async function sayRollback({ client, contextWords }: Session, { revision }: BeforeEdit): Promise<void> {
  const { items } = await client.get('/v1/revisions', { params: { query: { state: ['ready'], limit: 20 } } });
  const earlier = items.find(({ number }) => number <= revision);
  if (earlier === undefined) return;
  say(
    `To take the routes back at once, whatever guardrails say: prefixcast${contextWords} revision rollback ${earlier.number} --wait`,
  );
}

/**
 * The end of a command that has edited entries: what it waits for, or what a trial said of guardrails.
 * @param holds null: nothing was tried
 * @throws {CommandError} where guardrails hold it
 */
export async function endOfEdit(
  session: Session,
  before: BeforeEdit | null,
  holds: ForeseenHolds | null,
  options: WaitOptions,
): Promise<number> {
  if (before === null) await holds?.requireNone();
  return waitForEntries(session, before, options);
}

/** The edit is done, although nothing could be read. */
async function waitForRefresh(session: Session, refresh: Job, options: WaitOptions): Promise<number> {
  try {
    return (await waitForChain(session, refresh, options)).exitCode;
  } catch (error) {
    // The apply is that of the build, too, which says how it ended.
    if (!(error instanceof FailedJob) || error.type !== 'module_refresh') throw error;
    if (error.exitCode !== EXIT.failed) throw error;
    say(error.message);
    return EXIT.partial;
  }
}

/**
 * Waits until speakers have what follows from a write to anything else than entries: the sessions, and the revision.
 * @param before null: nothing is waited for
 * @param moduleIds modules that may be held because of it, beside those that nothing held before
 * @param peerIds what is written: they are to have it, whatever they lacked before
 * @returns the exit code
 */
export async function waitForWrite(
  session: Session,
  before: BeforeEdit | null,
  { moduleIds, peerIds, holds, sessions }: Written,
  options: WaitOptions,
): Promise<number> {
  if (before === null) return EXIT.ok;
  return onceWritten(session, async () => {
    const left = { ...options, after: before.revision, counted: peerIds, awaited: sessions?.peers };
    const reconcile = await causedJob(session, before);
    const follow = (job: Job): Promise<number> => {
      const wait = async (): Promise<number> => (await waitForChain(session, job, left)).exitCode;
      // The next hops of communities come with an apply, which a freeze stops.
      return before.of === 'sessions' ? orFrozen(session, sessions, wait) : wait();
    };
    const reconciled = reconcile === null ? EXIT.ok : await follow(reconcile);
    const build = await requestBuild(session);
    const exitCode = await follow(build);
    const { result } = (await (await session.client.request('GET', `/v1/jobs/${build.id}`)).json()) as Job;
    const held = (result as { quarantined?: string[] } | null)?.quarantined ?? [];
    const isOurs = (id: string): boolean => moduleIds.includes(id) || holds.freeIds.has(id);
    await requireNoneHeld(session, held.filter(isOurs));
    const begun = (await sessions?.wait(peerIds)) ?? EXIT.ok;
    const hosts = await waitForHosts(session, before.hosts);
    return [exitCode, reconciled, begun].find((code) => code !== EXIT.ok) ?? hosts;
  });
}

/** A freeze stops applies. What was written of sessions counts all the same, and a script must not read that nothing was done. */
async function orFrozen(
  session: Session,
  sessions: EndedSessions | undefined,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const isStopped = error instanceof CommandError && error.exitCode === EXIT.held;
    if (!isStopped || !(await isFrozen(session))) throw error;
    const waiting = `prefixcast${session.contextWords} unfreeze --dry-run shows what waits`;
    if (sessions?.isAny === true) {
      say(`The freeze stops applies alone: sessions have changed at once. ${waiting}`);
      return EXIT.ok;
    }
    const others = (await sessions?.othersNow()) ?? [];
    const isDone = others.every(({ isThere }) => isThere);
    say(
      isDone
        ? `The freeze stops applies, and no session has changed by this. ${waiting}`
        : `The freeze stops applies: what this changes of routes waits for its end. ${waiting}`,
    );
    for (const { line } of others) say(line);
    return isDone ? EXIT.ok : EXIT.held;
  }
}

export interface Written {
  readonly moduleIds: readonly string[];
  readonly peerIds: readonly string[];
  readonly holds: ForeseenHolds;
  /** Those that it ends or begins; undefined: none. */
  readonly sessions?: EndedSessions;
}

/** Of jobs that queue up, the newest does what is asked for now. */
async function causedJob(
  session: Session,
  { of, resourceId, newest: before }: BeforeEdit,
): Promise<Job | null> {
  const newest = await newestJob(session, of, resourceId);
  return newest !== null && (newest.id !== before?.id || before.state === 'queued') ? newest : null;
}

async function newestRevision({ client }: Session): Promise<number> {
  const answer = await client.request('GET', '/v1/revisions', { query: { limit: 1 } });
  const [newest] = ((await answer.json()) as Page<Pick<Schemas['Revision'], 'number'>>).items;
  return newest?.number ?? 0;
}

async function requestBuild({ client }: Session): Promise<Job> {
  return (await (await client.request('POST', '/v1/revisions')).json()) as Job;
}

async function newestJob(
  { client }: Session,
  of: EditOf,
  resourceId: string | undefined,
): Promise<Job | null> {
  const type = CAUSED[of];
  if (type === null) return null;
  const query = { type, limit: 1, ...(resourceId === undefined ? {} : { resource_id: resourceId }) };
  const page = (await (await client.request('GET', '/v1/jobs', { query })).json()) as Page<Job>;
  return page.items[0] ?? null;
}
