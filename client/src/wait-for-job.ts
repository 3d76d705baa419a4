import { ApiProblem } from './problem.ts';
import type { ApiEvent, Schemas } from './schemas.ts';
import { sleep } from './sleep.ts';

export type Job = Schemas['Job'];

/** What changes about a job while it is waited for. */
export type JobChange = Pick<Job, 'id' | 'type' | 'state' | 'progress' | 'attempt'>;

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longer than this it is not waited for; without a limit else. */
  readonly timeoutSeconds?: number | undefined;
  /** Called with the job as it is now, and after each change. */
  readonly onChange?: ((job: JobChange) => void) | undefined;
}

/** What waiting needs of a client. */
export interface JobReader {
  readJob(id: string, waitSeconds: number, signal: AbortSignal): Promise<Job>;
  jobEvents(signal: AbortSignal, onOpen: () => void): AsyncIterable<ApiEvent>;
}

/** The job did not end in time; it goes on. */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';
  /** As it was last; null: the service had not answered by then. */
  readonly job: Job | null;

  constructor(id: string, job: Job | null) {
    super(
      job === null
        ? `The service did not say in time how the job ${id} is`
        : `The job ${id} is still ${job.state}`,
    );
    this.job = job;
  }
}

/** Most jobs end within it, so that no stream is opened for them. */
const FIRST_WAIT_SECONDS = 1;
/** The service waits for a minute at most. */
const LONGEST_WAIT_SECONDS = 30;

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}

/**
 * Resolves to the job when it has ended, well or not: by a request that waits, then by events.
 * @throws {WaitTimeout}
 */
export async function waitForJob(reader: JobReader, id: string, options: WaitOptions): Promise<Job> {
  const { timeoutSeconds } = options;
  let hasShownEnd = false;
  const onChange = (job: JobChange): void => {
    hasShownEnd = hasEnded(job);
    options.onChange?.(job);
  };
  const limits = new AbortController();
  const until = timeoutSeconds === undefined ? Infinity : Date.now() + timeoutSeconds * 1_000;
  const left = (): number => Math.max(0, Math.floor((until - Date.now()) / 1_000));
  const timer =
    timeoutSeconds === undefined ? undefined : setTimeout(() => limits.abort(), timeoutSeconds * 1_000);
  const abort = (): void => limits.abort();
  options.signal?.addEventListener('abort', abort, { once: true });
  let job: Job | null = null;
  try {
    options.signal?.throwIfAborted();
    job = await reader.readJob(id, Math.min(FIRST_WAIT_SECONDS, left()), limits.signal);
    onChange(job);
    if (hasEnded(job)) return job;
    const followed = await followJob(reader, id, limits.signal, onChange);
    if (followed !== null) {
      // It ended before the events began, or in a gap of them.
      if (!hasShownEnd) onChange(followed);
      return followed;
    }
    // The service has no room for another stream.
    for (;;) {
      job = await reader.readJob(id, Math.min(LONGEST_WAIT_SECONDS, left()), limits.signal);
      onChange(job);
      if (hasEnded(job)) return job;
    }
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason;
    // What the service has refused says more than that the time is over.
    const isOfTime = limits.signal.aborted && (job !== null || !(error instanceof ApiProblem));
    throw isOfTime ? new WaitTimeout(id, job) : error;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
    limits.abort();
  }
}

/** An event that never comes would be waited for without end: the job itself is read now and then. */
const LOOK_MILLISECONDS = 30_000;

/** A service that can't answer at the moment ends no wait: events go on when it is back. */
async function hasEndedNow(reader: JobReader, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    return hasEnded(await reader.readJob(id, 0, signal));
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 0 || error.status === 429 || error.status >= 500))
      return false;
    throw error;
  }
}

/** Null: the events can't be followed. */
async function followJob(
  reader: JobReader,
  id: string,
  signal: AbortSignal,
  onChange: (job: JobChange) => void,
): Promise<Job | null> {
  const own = new AbortController();
  const abort = (): void => own.abort();
  signal.addEventListener('abort', abort, { once: true });
  const opened = Promise.withResolvers<void>();
  const seen = (async () => {
    for await (const { kind, data } of reader.jobEvents(own.signal, opened.resolve)) {
      // After a gap nothing is known: it is read once more.
      if (kind === 'reset' && hasEnded(await reader.readJob(id, 0, own.signal))) return;
      if (kind !== 'job' || data.id !== id) continue;
      onChange(data);
      if (hasEnded(data)) return;
    }
    signal.throwIfAborted();
  })();
  const looked = (async () => {
    do await sleep(LOOK_MILLISECONDS, own.signal);
    while (!(await hasEndedNow(reader, id, own.signal)));
  })();
  looked.catch(() => undefined); // it is raced later
  try {
    // It may have ended before the stream began.
    await Promise.race([opened.promise, seen, looked]);
    const job = await reader.readJob(id, 0, signal);
    if (hasEnded(job)) return job;
    await Promise.race([seen, looked]);
    return await reader.readJob(id, 0, signal);
  } catch (error) {
    if (error instanceof ApiProblem && !signal.aborted && error.code !== 'not_found') return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    own.abort();
    await Promise.allSettled([seen, looked]);
  }
}
