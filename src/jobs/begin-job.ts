import type { JobType } from '../api/activity/jobs.ts';
import type { BegunJob, JobHandler } from '../control/job.ts';
import type { Database, TenantTx } from '../store/database/database.ts';
import { type StartedJob, startJob } from '../store/jobs/job-runs.ts';
import { findJob } from '../store/jobs/jobs.ts';
import { readOwnTenant } from '../store/tenants/tenants.ts';
import { EQUAL_SECONDS } from './equal-refresh.ts';
import { type JobMessage, MAX_ATTEMPTS } from './queue.ts';

type Work = Extract<JobHandler, (...context: never) => unknown>;

export interface Beginning {
  readonly db: Database;
  readonly handlers: Readonly<Record<JobType, JobHandler>>;
}

/** A job that is ours, and its work where the handler has begun it. */
interface Begun extends StartedJob {
  readonly work: Work | null;
}

/**
 * Takes the job for one run, and has its handler read what it needs, in one transaction.
 * @returns null: there is nothing to do; `waits`: a refresh of the same module runs or has just ended, see {@link untilEqualRefreshEnds}
 */
export async function beginJob(
  { db, handlers }: Beginning,
  { tenant_id: tenantId, job_id: jobId }: JobMessage,
  type: JobType,
  holder: string,
): Promise<Begun | 'waits' | null> {
  const isOneAtATime = type === 'module_refresh';
  const start = async (tx: TenantTx): Promise<StartedJob | 'waits' | null> => {
    const started = await startJob(tx, jobId, holder, isOneAtATime ? EQUAL_SECONDS : null);
    return started ?? (isOneAtATime && (await isLeft(tx, jobId)) ? 'waits' : null);
  };
  return (
    db
      .inTenant(tenantId, async (tx): Promise<Begun | 'waits' | null> => {
        const started = await start(tx);
        if (started === 'waits' || started === null) return started;
        return { ...started, work: await beginWork(tx, handlers, started) };
      })
      // What could not be read fails the run, which counts: so the job is taken, and its work begun again.
      .catch(async (): Promise<Begun | 'waits' | null> => {
        const started = await db.inTenant(tenantId, start);
        return started === 'waits' || started === null ? started : { ...started, work: null };
      })
  );
}

/**
 * Whether a job that was not taken is still to be done: it waited for an equal one, which may have ended meanwhile. One of a tenant that is not active is
 * parked. Read in the same transaction, which keeps the tenant as it is.
 */
async function isLeft(tx: TenantTx, jobId: string): Promise<boolean> {
  const job = await findJob(tx, jobId);
  return job?.state === 'queued' && (await readOwnTenant(tx)).status === 'active';
}

function beginWork(tx: TenantTx, handlers: Beginning['handlers'], begun: BegunJob): Promise<Work> | null {
  const { type, attempt } = begun.job;
  const handler = handlers[type];
  return 'begin' in handler && attempt <= MAX_ATTEMPTS ? handler.begin(tx, begun) : null;
}

/** The work of a job that was not begun with it. */
export async function workOf({ db, handlers }: Beginning, tenantId: string, begun: BegunJob): Promise<Work> {
  const handler = handlers[begun.job.type];
  return 'begin' in handler ? db.inTenant(tenantId, (tx) => handler.begin(tx, begun)) : handler;
}
