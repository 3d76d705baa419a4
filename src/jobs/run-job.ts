import { randomUUID } from 'node:crypto';
import type { Job, JobError, JobProgress, JobType } from '../api/activity/jobs.ts';
import type { OperatorEvent } from '../api/activity/operator-events.ts';
import { PROBLEMS, Problem } from '../api/problems/problem.ts';
import { auditJobFailure } from '../control/audit/audit.ts';
import {
  Interruption,
  JobCancelled,
  type JobContext,
  type JobHandler,
  JobFailure,
  JobPause,
  type JobQueue,
  type JobResult,
} from '../control/job.ts';
import { type Database, emitEvent, type TenantTx } from '../store/database/database.ts';
import {
  finishJob,
  type Hold,
  lockJob,
  pauseJob,
  requeueJob,
  succeedJob,
  uncountDeath,
} from '../store/jobs/job-runs.ts';
import { beginJob, workOf } from './begin-job.ts';
import { JobWatch } from './job-watch.ts';
import { type JobMessage, MAX_ATTEMPTS } from './queue.ts';

export interface RunOptions {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly handlers: Readonly<Record<JobType, JobHandler>>;
  /** Jobs that this process runs, by id. */
  readonly watches: Map<string, JobWatch>;
  /** Called when the message of a job of this type may be taken again after this many seconds. */
  readonly wakeAfter: (type: JobType, seconds: number) => void;
  /** The same of a job that this process cannot do. */
  readonly leaveAfter: (type: JobType, seconds: number) => void;
  /** Logs a job that failed unexpectedly. */
  readonly onFault: (job: Job, error: unknown) => void;
}

/** A job that this run has taken. */
interface TakenJob {
  readonly tenantId: string;
  readonly job: Job;
  /** Of the run: it ends the job only while it has it. */
  readonly holder: string;
}

/** Every earlier run ended without a result. The job itself may be the cause, so it is not retried for ever. */
class WorkerDeaths extends Error {
  override readonly name = 'WorkerDeaths';
}

/**
 * One attempt at one job. Throws to have pg-boss deliver the message again.
 * @param type of the job
 * @returns `waits`: not yet, since a refresh of the same module runs
 */
export async function runJob(
  options: RunOptions,
  message: JobMessage,
  type: JobType,
  stopping: AbortSignal,
): Promise<'waits' | 'done'> {
  const { db, watches } = options;
  const { tenant_id: tenantId, job_id: jobId } = message;
  const holder = randomUUID();
  const begun = await beginJob(options, message, type, holder);
  if (begun === 'waits') return 'waits';
  if (begun === null) return 'done'; // ended already: its effects were committed, or it was cancelled or deleted
  const { job, input } = begun;
  const taken: TakenJob = { tenantId, job, holder };
  const watch = new JobWatch(db, tenantId, jobId, holder, stopping);
  watches.set(jobId, watch);
  try {
    if (job.attempt > MAX_ATTEMPTS) throw new WorkerDeaths();
    const note: JobContext['progress'] = (phase, done, total, more = {}) =>
      watch.note({ phase, done, total, ...more });
    const work = begun.work ?? (await workOf(options, tenantId, begun));
    const commit = await work({
      ...{ db, tenantId, job, input },
      ...{ signal: watch.signal, progress: note },
    });
    watch.signal.throwIfAborted();
    await watch.close();
    const finish = async (tx: TenantTx): Promise<void> => {
      const result = await commit(tx);
      // As late as possible: a commit may wait and build for long, and cancelling the job would wait for its row lock.
      const { progress } = watch;
      if (result instanceof JobFailure) {
        refuseInterruption(await lockJob(tx, jobId, holder));
        await failJob(tx, job, result, progress);
      } else refuseInterruption(await succeedJob(tx, jobId, holder, { result, progress }));
    };
    await db.inTenant(tenantId, finish, commit.lock);
  } catch (error) {
    await watch.close();
    const why: unknown = reasonOf(error, watch.signal);
    const hold = why instanceof JobPause ? await pause(options, taken, why) : null;
    if (hold === 'ours') return 'done';
    const done = error instanceof JobCancelled ? error.result : null;
    await endBadly(options, taken, hold === null ? why : new Interruption(hold), done);
  } finally {
    if (watches.get(jobId) === watch) watches.delete(jobId);
  }
  return 'done';
}

/** Why the run ended. The job itself may have seen first that it was cancelled. */
function reasonOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return error instanceof JobCancelled ? new Interruption('cancelled') : error;
}

/** Rolls back the commit of a job that we no longer hold. */
function refuseInterruption(hold: Hold): void {
  if (hold !== 'ours') throw new Interruption(hold);
}

/** @returns who holds the job; it is paused only if we do */
async function pause(
  { db, queue, wakeAfter, leaveAfter }: RunOptions,
  { tenantId, job, holder }: TakenJob,
  { seconds, progress, isForOthers }: JobPause,
): Promise<Hold> {
  const hold = await db.inTenant(tenantId, async (tx) => {
    const hold = await lockJob(tx, job.id, holder);
    if (hold !== 'ours') return hold;
    await pauseJob(tx, job.id, progress);
    const { id, type } = job;
    await queue.resend(tx, [{ tenant_id: tenantId, id, type }], seconds);
    return hold;
  });
  if (hold === 'ours') (isForOthers ? leaveAfter : wakeAfter)(job.type, seconds);
  return hold;
}

/** @param done the result of a cancelled job */
async function endBadly(
  { db, onFault }: RunOptions,
  { tenantId, job, holder }: TakenJob,
  error: unknown,
  done: JobResult | null,
): Promise<void> {
  const isInterruption = error instanceof Interruption;
  if (isInterruption && error.kind === 'lost') {
    // Left counted where the database does not answer.
    await db.inTenant(tenantId, (tx) => uncountDeath(tx, job.id, holder)).catch(() => undefined);
    // Nobody may have it by now: the message, if it was delivered here once more meanwhile, has to come again.
    throw error;
  }
  const isFinal = isInterruption
    ? error.kind === 'cancelled'
    : isRefusal(error) || job.attempt >= MAX_ATTEMPTS;
  if (!isInterruption && !(error instanceof Problem)) onFault(job, error);
  await db.inTenant(tenantId, async (tx) => {
    if ((await lockJob(tx, job.id, holder)) === 'lost') return uncountDeath(tx, job.id, holder);
    if (!isFinal) await requeueJob(tx, job.id, isInterruption ? 'not counted' : 'counted');
    else if (isInterruption) await finishJob(tx, job.id, { state: 'cancelled', result: done, error: null });
    else await failJob(tx, job, error, null);
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
  emitEvent(tx, failureOf(job, error));
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

/** A retry would end the same way. A database that is down is not a refusal: it comes back. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.code !== 'database_unavailable';
}

/** What users may read about a failure; the log has the rest. */
function jobError(error: unknown): JobError {
  if (error instanceof Problem)
    return { code: error.code, title: PROBLEMS[error.code].title, detail: error.message };
  const happened = error instanceof WorkerDeaths ? 'its worker died' : 'it failed unexpectedly';
  const detail = `The job was tried ${MAX_ATTEMPTS} times, and each time ${happened}. The log of the worker has the details.`;
  return { code: 'internal_error', title: PROBLEMS.internal_error.title, detail };
}
