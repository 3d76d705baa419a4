/** Waits for jobs and for what follows from them, with progress on standard error. */
import type { Job, JobChange, Schemas } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import { say } from '../process/ask.ts';
import { requireReady } from './held.ts';
import { exitCodeOf, type Session } from './run-remote.ts';
import { shortfallsOf } from './shortfalls.ts';

export interface WaitOptions {
  /** How far to wait; undefined: not at all. */
  readonly wait?: 'built' | 'applied' | undefined;
  readonly timeout?: number | undefined;
  /** The end of `timeout` where other jobs were waited for before, in milliseconds since 1970. */
  readonly until?: number | undefined;
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
  progress: ProgressView = new Progress(),
): Promise<Waited> {
  const until =
    options.until ?? (options.timeout === undefined ? null : Date.now() + options.timeout * 1_000);
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.once('SIGINT', onSignal);
  let id = first.id;
  let exitCode: number = EXIT.ok;
  try {
    for (;;) {
      const job = await session.client.waitForJob(id, {
        signal: interrupt.signal,
        ...(until === null ? {} : { timeoutSeconds: Math.max(0.5, (until - Date.now()) / 1_000) }),
        onChange: (change) => progress.show(change),
      });
      progress.end();
      // Of a refresh that fails, too: it names the sources.
      const { lines, isPartial } = await shortfallsOf(session, job);
      for (const line of lines) say(line);
      await requireSuccess(session, job);
      if (isPartial) exitCode = EXIT.partial;
      const next = nextOf(job, options.wait ?? 'applied');
      if (next === null) return { job, exitCode };
      id = next;
    }
  } catch (error) {
    progress.end();
    const goOn = `prefixcast${session.contextWords} job watch ${id}`;
    if (interrupt.signal.aborted)
      throw new CommandError(`Left; the job goes on. Watch it: ${goOn}`, EXIT.interrupted);
    if ((error as Error).name === 'WaitTimeout')
      throw new CommandError(
        `Not done after ${options.timeout!} s; the job goes on. Watch it: ${goOn}`,
        EXIT.timeout,
      );
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
  }
}

function nextOf({ result }: Job, phase: 'built' | 'applied'): string | null {
  const { build_job_id: build, apply_job_id: apply } = (result ?? {}) as Record<string, string | null>;
  return build ?? (phase === 'applied' ? (apply ?? null) : null);
}

async function requireSuccess({ client }: Session, job: Job): Promise<void> {
  const { type, state, error, result } = job;
  if (state === 'cancelled') throw new CommandError(`The job ${type} was cancelled`, exitCodeOfJob(job));
  if (state === 'failed')
    throw new CommandError(`${type}: ${error?.detail ?? 'no reason is known'}`, exitCodeOfJob(job));
  const { revision_state: revision, revision_id: id } = (result ?? {}) as Record<string, string | undefined>;
  if (revision !== 'held') return;
  // The job has the codes of the findings alone.
  requireReady((await (await client.request('GET', `/v1/revisions/${id!}`)).json()) as Schemas['Revision']);
}

/** How a command ends that shows or followed this job. */
export function exitCodeOfJob({ state, error }: Pick<Job, 'state' | 'error'>): number {
  if (state === 'cancelled') return EXIT.failed;
  return state === 'failed' ? exitCodeOf({ code: error?.code ?? 'internal_error', status: 0 }) : EXIT.ok;
}

/** One line on a terminal that changes; a line for each step elsewhere. */
class Progress implements ProgressView {
  readonly #isTerminal = process.stderr.isTTY === true;
  #last = '';

  show({ type, state, progress }: JobChange): void {
    const steps =
      progress?.total === null || progress === null ? '' : ` ${progress.done}/${progress.total ?? '?'}`;
    const phase = progress === null || progress === undefined ? '' : `, ${progress.phase}${steps}`;
    const text = `${type} ${state}${state === 'running' ? phase : ''}`;
    if (text === this.#last) return;
    this.#last = text;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  }

  end(): void {
    if (this.#isTerminal && this.#last !== '') process.stderr.write('\n');
    this.#last = '';
  }
}
