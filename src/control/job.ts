/**
 * Control: what the service does, one verb per file. A verb takes the tenant's transaction (or, for work that lasts, a
 * job's context), checks what the schemas cannot, and calls store, sources, core and speakers. HTTP routes and jobs are
 * skins over these verbs. This file is what verbs and the job worker agree on.
 */
import type { Job, JobProgress, JobType } from '../api/activity/jobs.ts';
import { Problem, type ProblemCode } from '../api/problems/problem.ts';
import type { Database, TenantTx } from '../store/database/database.ts';
import type { TenantLock } from '../store/database/tenant-lock.ts';
import type { ParkedJob } from '../store/tenants/tenants.ts';

/** What a job is asked to do. `input` is what its handler reads; it must survive JSON. */
export interface JobRequest {
  readonly type: JobType;
  readonly input: Readonly<Record<string, unknown>>;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly requestedBy: string;
  readonly parentId: string | null;
}

/** Queues work inside the caller's transaction: the job exists exactly when the change that causes it does. */
export interface JobQueue {
  enqueue(tx: TenantTx, request: JobRequest): Promise<Job>;
  /** Makes jobs run, now or after some seconds, whose message has gone. */
  resend(tx: TenantTx, jobs: readonly ParkedJob[], afterSeconds?: number): Promise<void>;
}

export type JobResult = Readonly<Record<string, unknown>>;

/** A job that ends as failed and still has a result to show, such as which speakers took a revision and which did not. */
export class JobFailure extends Problem {
  readonly result: JobResult;

  constructor(code: ProblemCode, detail: string, result: JobResult) {
    super(code, detail);
    this.result = result;
  }
}

/** Why a job's signal aborts. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly kind: 'cancelled' | 'lost' | 'suspended' | 'stopping';
  constructor(kind: Interruption['kind']) {
    super(`The job was interrupted: ${kind}`);
    this.kind = kind;
  }
}

/** The job was cancelled, and has something to show of what it had done by then. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled';
  readonly result: JobResult;

  constructor(result: JobResult) {
    super('The job was cancelled');
    this.result = result;
  }
}

/** The job has to wait for something: it gives its place to others, and is run again from the start after some seconds. */
export class JobPause extends Error {
  override readonly name = 'JobPause';
  readonly seconds: number;
  readonly progress: JobProgress;
  /** This worker cannot do it: when the pause is over, others are called, and come first. */
  readonly isForOthers: boolean;

  constructor(seconds: number, progress: JobProgress, { isForOthers = false } = {}) {
    super(`The job pauses for ${seconds} s`);
    this.seconds = seconds;
    this.progress = progress;
    this.isForOthers = isForOthers;
  }
}

/**
 * The effects of a finished job; run in the transaction that marks it succeeded, so that they happen once or not at all. A commit that
 * answers a failure has effects that stay although the job failed.
 */
export interface JobCommit<Result extends JobResult = JobResult> {
  (tx: TenantTx): Promise<Result | JobFailure>;
  /** What the transaction waits for before anything else. */
  readonly lock?: TenantLock;
}

/** The commit in a transaction that has the lock. */
export function holding<Result extends JobResult>(
  lock: TenantLock,
  commit: (tx: TenantTx) => Promise<Result | JobFailure>,
): JobCommit<Result> {
  return Object.assign(commit, { lock });
}

/** A job that has begun: its row, and what it is asked to do. */
export interface BegunJob {
  readonly job: Job;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface JobContext extends BegunJob {
  readonly db: Database;
  readonly tenantId: string;
  /** Aborts when the job is cancelled, lost to another worker, or the process stops. */
  readonly signal: AbortSignal;
  /** Reports the progress; cheap to call often. `total` null: unknown. */
  readonly progress: (
    phase: string,
    done: number,
    total: number | null,
    more?: Pick<JobProgress, 'waiting_for' | 'to_begin'>,
  ) => void;
}

type JobWork<Result extends JobResult> = (context: JobContext) => Promise<JobCommit<Result>>;

/** Does the work of one job type. Throws a Problem for what a retry cannot help, a {@link JobPause} to wait; anything else is tried again. */
export type JobHandler<Result extends JobResult = JobResult> = JobWork<Result> | BeginningHandler<Result>;

/** One that reads what it needs in the transaction in which the job begins. */
export interface BeginningHandler<Result extends JobResult = JobResult> {
  begin(tx: TenantTx, begun: BegunJob): Promise<JobWork<Result>>;
}
