import { randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import { JOB_TYPES, type Job, type JobError, type JobProgress, type JobType } from '../api/jobs.ts';
import type { OperatorEvent } from '../api/operator-events.ts';
import { PROBLEMS, Problem } from '../api/problem.ts';
import { auditJobFailure } from '../control/audit/audit.ts';
import { type JobHandler, JobFailure, JobPause } from '../control/job.ts';
import { type Database, tellOperators, type TenantTx } from '../store/database/database.ts';
import {
  finishJob,
  type Hold,
  lockJob,
  pauseJob,
  readJobHold,
  requeueJob,
  setJobProgress,
  startJob,
} from '../store/jobs.ts';
import { GroupCounts } from '../concurrency/group-counts.ts';
import { forGroup } from '../concurrency/groups.ts';
import { createJobQueue, type JobMessage, MAX_ATTEMPTS, putBack, queueOf } from './queue.ts';

/** How often a running job looks whether it was cancelled, and writes how far it is. */
const LOOK_MILLISECONDS = 250;

/** Jobs of one type that run side by side in this process, and of one tenant in all processes. */
const LOCAL_CONCURRENCY = 4;
const TENANT_CONCURRENCY = 2;

const SETTINGS = {
  groupConcurrency: TENANT_CONCURRENCY,
  // Retries and the jobs of dead workers come without a notification.
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 1,
  heartbeatRefreshSeconds: 3,
};

export interface WorkerOptions {
  readonly boss: PgBoss;
  readonly db: Database;
  readonly handlers: Readonly<Record<JobType, JobHandler>>;
  /** What the log keeps of a job that failed in a way nobody foresaw. */
  readonly onFault: (job: Job, error: unknown) => void;
}

export interface Worker {
  /** Takes no more work, puts back what is running, and resolves when nothing runs. */
  close(): Promise<void>;
}

/** Why a job's signal aborts. */
class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly kind: 'cancelled' | 'lost' | 'suspended' | 'stopping';
  constructor(kind: Interruption['kind']) {
    super(`The job was interrupted: ${kind}`);
    this.kind = kind;
  }
}

/** Every run before this one ended without a word, which a job may well have caused: it is not tried for ever. */
class WorkerDeaths extends Error {
  override readonly name = 'WorkerDeaths';
}

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { boss } = options;
  const stopping = new AbortController();
  for (const type of JOB_TYPES) {
    // By tenant, in this process.
    const atWork = new GroupCounts();
    for (let place = 0; place < LOCAL_CONCURRENCY; place++) {
      const id: string = await boss.work<JobMessage>(queueOf(type), SETTINGS, async ([message]) => {
        if (message !== undefined) await runInPlace(options, type, message.data, atWork, stopping.signal);
        // Where one job was there may be more: look again at once, not at the next poll.
        boss.notifyWorker(id);
      });
    }
  }
  return {
    async close() {
      stopping.abort(new Interruption('stopping'));
      await Promise.all(JOB_TYPES.map((type) => boss.offWork(queueOf(type), { wait: true })));
    },
  };
}

/**
 * Runs the job unless its tenant has its places in this process. Workers that look at the same moment see the same count of what runs, so
 * that one tenant with many jobs got all places: whoever takes too much puts it back, before the message that it took is done.
 */
async function runInPlace(
  options: WorkerOptions,
  type: JobType,
  message: JobMessage,
  atWork: GroupCounts,
  stopping: AbortSignal,
): Promise<void> {
  const { tenant_id: tenantId } = message;
  if (atWork.of(tenantId) >= TENANT_CONCURRENCY) return putBack(options.boss, type, message);
  atWork.add(tenantId, 1);
  try {
    await forGroup(tenantId, () => runJob(options, message, stopping));
  } finally {
    atWork.add(tenantId, -1);
  }
}

/** One attempt at one job. Throws when pg-boss shall deliver the message again. */
async function runJob(options: WorkerOptions, message: JobMessage, stopping: AbortSignal): Promise<void> {
  const { db, handlers } = options;
  const { tenant_id: tenantId, job_id: jobId } = message;
  const holder = randomUUID();
  const started = await db.inTenant(tenantId, (tx) => startJob(tx, jobId, holder));
  if (started === null) return; // ended before: delivered again after its effects were committed, cancelled, or deleted
  const { job, input } = started;
  const watch = new JobWatch(db, tenantId, jobId, holder, stopping);
  try {
    if (job.attempt > MAX_ATTEMPTS) throw new WorkerDeaths();
    const progress = (phase: string, done: number, total: number | null): void =>
      watch.note({ phase, done, total });
    const commit = await handlers[job.type]({ db, tenantId, job, input, signal: watch.signal, progress });
    watch.signal.throwIfAborted();
    await watch.close();
    await db.inTenant(tenantId, async (tx) => {
      refuseInterruption(await readJobHold(tx, jobId, holder));
      const result = await commit(tx);
      // Not before: a commit may wait for others and build, and whoever cancels the job would wait for its row.
      refuseInterruption(await lockJob(tx, jobId, holder));
      const { progress: noted } = watch;
      if (result instanceof JobFailure) await failJob(tx, job, result, noted);
      else await finishJob(tx, jobId, { state: 'succeeded', result, error: null, progress: noted });
    });
  } catch (error) {
    await watch.close();
    const why: unknown = watch.signal.aborted ? watch.signal.reason : error;
    const hold = why instanceof JobPause ? await pause(options, tenantId, job, holder, why) : null;
    if (hold === 'ours') return;
    await endBadly(options, tenantId, job, holder, hold === null ? why : new Interruption(hold));
  }
}

/** Rolls back the commit of a job that is not ours any more. */
function refuseInterruption(hold: Hold): void {
  if (hold !== 'ours') throw new Interruption(hold);
}

/** @returns whose the job is; only one that is ours pauses */
async function pause(
  { db, boss }: WorkerOptions,
  tenantId: string,
  job: Job,
  holder: string,
  { seconds, progress }: JobPause,
): Promise<Hold> {
  return db.inTenant(tenantId, async (tx) => {
    const hold = await lockJob(tx, job.id, holder);
    if (hold !== 'ours') return hold;
    await pauseJob(tx, job.id, progress);
    const { id, type } = job;
    await createJobQueue(boss).resend(tx, [{ tenant_id: tenantId, id, type }], seconds);
    return hold;
  });
}

async function endBadly(
  options: WorkerOptions,
  tenantId: string,
  job: Job,
  holder: string,
  error: unknown,
): Promise<void> {
  const { db, onFault } = options;
  const isInterruption = error instanceof Interruption;
  if (isInterruption && error.kind === 'lost') return;
  const isFinal = isInterruption
    ? error.kind === 'cancelled'
    : isRefusal(error) || job.attempt >= MAX_ATTEMPTS;
  if (!isInterruption && !(error instanceof Problem)) onFault(job, error);
  await db.inTenant(tenantId, async (tx) => {
    if ((await lockJob(tx, job.id, holder)) === 'lost') return;
    if (!isFinal) await requeueJob(tx, job.id, isInterruption ? 'not counted' : 'counted');
    else if (isInterruption) await finishJob(tx, job.id, { state: 'cancelled', result: null, error: null });
    else {
      await failJob(tx, job, error, null);
    }
  });
  if (!isFinal) throw error;
}

async function failJob(
  tx: TenantTx,
  job: Job,
  failure: unknown,
  progress: JobProgress | null,
): Promise<void> {
  const error = jobError(failure);
  const result = failure instanceof JobFailure ? failure.result : null;
  await finishJob(tx, job.id, { state: 'failed', result, error, progress });
  await auditJobFailure(tx, job, error);
  tellOperators(tx, failureOf(job, error));
}

function failureOf({ id, type, resource }: Job, { code, detail }: JobError): OperatorEvent {
  const fields = { job_id: id, job_type: type, code, reason: detail };
  const on = resource === null ? {} : { [`${resource.type}_id`]: resource.id };
  return {
    event: 'job_failed',
    text: `The job ${type} failed (${code}): ${detail}`,
    fields: { ...fields, ...on },
  };
}

/** Trying again would end the same way. A database that was away is no refusal: it comes back. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.code !== 'database_unavailable';
}

/** What people may read of a failure; the log keeps the rest. */
function jobError(error: unknown): JobError {
  if (error instanceof Problem)
    return { code: error.code, title: PROBLEMS[error.code].title, detail: error.message };
  const happened = error instanceof WorkerDeaths ? 'its worker died' : 'it failed in a way nobody foresaw';
  const detail = `The job was tried ${MAX_ATTEMPTS} times, and each time ${happened}. The log of the worker has the details.`;
  return { code: 'internal_error', title: PROBLEMS.internal_error.title, detail };
}

/** Looks after a running job from the side: is it still wanted, is it still ours, how far is it. */
class JobWatch {
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #look: () => Promise<Hold>;
  readonly #unlisten: () => void;
  #looking: Promise<void> | null = null;
  #progress: JobProgress | null = null;

  constructor(db: Database, tenantId: string, jobId: string, holder: string, stopping: AbortSignal) {
    this.#look = () =>
      db.inTenant(tenantId, async (tx) => {
        const progress = this.#progress;
        this.#progress = null;
        return setJobProgress(tx, jobId, holder, progress);
      });
    this.#timer = setInterval(() => {
      // One look at a time, however long the database takes.
      this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null));
    }, LOOK_MILLISECONDS);
    const stop = (): void => this.#abort.abort(stopping.reason);
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop);
    // The worker outlives its jobs by far, and would remember every one of them.
    this.#unlisten = () => stopping.removeEventListener('abort', stop);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What was noted and is not written yet. */
  get progress(): JobProgress | null {
    return this.#progress;
  }

  note(progress: JobProgress): void {
    this.#progress = progress;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    this.#unlisten();
  }

  async #lookOnce(): Promise<void> {
    try {
      const state = await this.#look();
      if (state !== 'ours') this.#abort.abort(new Interruption(state));
    } catch {
      // A database that does not answer says nothing about the job; whether it is still ours is asked again at its end.
    }
  }
}
