import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { JOB_TYPES, type Job, type JobType } from '../api/activity/jobs.ts';
import { Interruption, type JobHandler } from '../control/job.ts';
import { notify, type Database } from '../store/database/database.ts';
import { CANCELLED_JOBS_CHANNEL, JOBS_CHANNEL, listOpenTypes } from '../store/jobs/jobs.ts';
import { untilEqualRefreshEnds } from './equal-refresh.ts';
import { Intake } from './intake.ts';
import type { JobWatch } from './job-watch.ts';
import { createJobQueue, SUPERVISE_SECONDS } from './queue.ts';
import { runJob } from './run-job.ts';

/** Milliseconds between checks for jobs without a hint: those of dead workers and retried ones. */
const UNHINTED_MILLISECONDS = 5_000;
/** Milliseconds by which a message may become due later than this process expects. */
const EARLY_MILLISECONDS = 20;
/** By which other processes are called earlier to a job that this one has left to them. */
const HEAD_START_MILLISECONDS = 1_000;
/** Seconds between removals of messages of ended jobs while there are no other jobs. */
const TIDY_SECONDS = 600;

export interface WorkerOptions {
  readonly boss: PgBoss;
  readonly db: Database;
  readonly handlers: Readonly<Record<JobType, JobHandler>>;
  /** Logs a job that failed unexpectedly. */
  readonly onFault: (job: Job | null, error: unknown) => void;
}

export interface Worker {
  /** Takes no more work, puts back what is running, and resolves when nothing runs. */
  close(): Promise<void>;
}

export function startWorker({ boss, db, handlers, onFault }: WorkerOptions): Worker {
  const stopping = new AbortController();
  const watches = new Map<string, JobWatch>();
  const wakeAfter = (type: JobType, seconds: number): void => {
    setTimeout(() => intakes.get(type)?.wake(), seconds * 1_000 + EARLY_MILLISECONDS).unref();
  };
  /** Types of which others take the next job first. */
  const left = new Set<JobType>();
  const leaveAfter = (type: JobType, seconds: number): void => {
    const call = async (): Promise<void> => {
      left.add(type);
      await db.alone((tx) => notify(tx, JOBS_CHANNEL, type)).catch(() => undefined);
      await sleep(HEAD_START_MILLISECONDS, undefined, { ref: false });
      left.delete(type);
      intakes.get(type)?.wake();
    };
    setTimeout(() => void call(), seconds * 1_000 + EARLY_MILLISECONDS).unref();
  };
  const options = { db, handlers, onFault, watches, wakeAfter, leaveAfter, queue: createJobQueue(boss) };
  const intakes: ReadonlyMap<JobType, Intake> = new Map(
    JOB_TYPES.map((type) => [
      type,
      new Intake({
        ...{ boss, type },
        run: async (message) => {
          while ((await runJob(options, message, type, stopping.signal)) === 'waits')
            await untilEqualRefreshEnds(db, message.tenant_id, message.job_id, stopping.signal);
        },
        onFault: (error) => onFault(null, error),
      }),
    ]),
  );
  const wakeAll = (): void => intakes.forEach((intake) => intake.wake());
  const hints = [
    db.listen(JOBS_CHANNEL, (type) => {
      if (type === null) wakeAll();
      else if (!left.has(type as JobType)) intakes.get(type as JobType)?.wake();
    }),
    db.listen(CANCELLED_JOBS_CHANNEL, (id) => {
      for (const watch of id === null ? watches.values() : [watches.get(id)]) watch?.look();
    }),
  ];
  let looking: Promise<void> | null = null;
  let supervisedAt = -Infinity;
  const look = async (): Promise<void> => {
    const types = await db.alone(listOpenTypes);
    const now = performance.now();
    if (now - supervisedAt >= (types.length > 0 ? SUPERVISE_SECONDS : TIDY_SECONDS) * 1_000) {
      supervisedAt = now;
      await boss.supervise();
    }
    for (const type of types) intakes.get(type)?.wake();
  };
  // Others check more often, and report a database that does not answer.
  const lookOnce = (): Promise<void> =>
    (looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = null)));
  const timer = setInterval(() => void lookOnce(), UNHINTED_MILLISECONDS);
  wakeAll();
  return {
    async close() {
      clearInterval(timer);
      for (const hint of hints) hint.close();
      stopping.abort(new Interruption('stopping'));
      await looking;
      await Promise.all([...intakes.values()].map((intake) => intake.close()));
    },
  };
}
