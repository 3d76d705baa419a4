/** One run of a job after the other: whose it is, how far it came, and how it ended. */
import { sql } from 'kysely';
import type { Job, JobError, JobProgress } from '../../api/activity/jobs.ts';
import type { TenantTx } from '../database/database.ts';
import { JOB_COLUMNS, present } from './jobs.ts';

const TENANT_STATUS = sql<string>`(SELECT status FROM tenant WHERE tenant.id = job.tenant_id)`;

export interface StartedJob {
  readonly job: Job;
  readonly input: Record<string, unknown>;
}

/**
 * Takes the job for one run, away from an earlier run if there was one: from now on only `holder` may change the row. While the
 * tenant is suspended or stopped the job is parked instead: it waits without a message, see unparkJobs in tenants.ts.
 * @returns null when there is nothing to do
 */
export async function startJob(tx: TenantTx, id: string, holder: string): Promise<StartedJob | null> {
  const started = await takeJob(tx, id, holder);
  if (started !== null) return started;
  // Locked: between a look and parking, nobody may unpark.
  const tenant = await tx.sql
    .selectFrom('tenant')
    .select('status')
    .where('id', '=', tx.tenantId)
    .forShare()
    .executeTakeFirst();
  if (tenant === undefined || tenant.status === 'active') return takeJob(tx, id, holder);
  await tx.sql
    .updateTable('job')
    .set({ state: 'queued', holder: null, parked_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return null;
}

const IS_PAUSED = sql<boolean>`(state = 'running' AND holder IS NULL)`;

/**
 * Gives the job back in the middle of a run, for whoever takes it next; the caller has {@link lockJob | locked} it. It came this far, so
 * runs that ended badly before count no more: one that waits for days outlives any number of restarts.
 */
export async function pauseJob(tx: TenantTx, id: string, progress: JobProgress): Promise<void> {
  await tx.sql
    .updateTable('job')
    .set({
      holder: null,
      attempt: 1,
      progress: JSON.stringify(progress),
      updated_at: sql<string>`now()`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

async function takeJob(tx: TenantTx, id: string, holder: string): Promise<StartedJob | null> {
  const row = await tx.sql
    .updateTable('job')
    .set({
      state: 'running',
      holder,
      // One that paused goes on in the same run.
      attempt: sql<number>`CASE WHEN ${IS_PAUSED} THEN attempt ELSE attempt + 1 END`,
      started_at: sql<string>`coalesce(started_at, now())`,
      progress: sql<string | null>`CASE WHEN ${IS_PAUSED} THEN progress END`,
      updated_at: sql<string>`now()`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .where(sql<boolean>`${TENANT_STATUS} = 'active'`)
    .returning([...JOB_COLUMNS, 'input'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const { input, ...job } = row;
  return { job: present(job), input };
}

/**
 * What a run learns when it looks: go on, stop because somebody cancelled, because another run has taken the job, or because the
 * tenant was suspended or stopped.
 */
export type Hold = 'ours' | 'cancelled' | 'lost' | 'suspended';

/** @param progress null: nothing new to tell */
export async function setJobProgress(
  tx: TenantTx,
  id: string,
  holder: string,
  progress: JobProgress | null,
): Promise<Hold> {
  if (progress !== null) {
    await tx.sql
      .updateTable('job')
      .set({ progress: JSON.stringify(progress), updated_at: sql<string>`now()` })
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', id)
      .where('holder', '=', holder)
      .where('state', '=', 'running')
      .execute();
  }
  return readJobHold(tx, id, holder);
}

/** Whose the job is now; see {@link lockJob} for whoever ends it. */
export async function readJobHold(tx: TenantTx, id: string, holder: string): Promise<Hold> {
  return holdOf(await readHold(tx, id).executeTakeFirst(), holder);
}

/**
 * Locks the row until the transaction ends and says whose it is, so that a run ends its job only while it still holds it and
 * nobody cancels in between. Take it last, since whoever cancels waits for it. Jobs that name this one as their parent lock its key only.
 */
export async function lockJob(tx: TenantTx, id: string, holder: string): Promise<Hold> {
  return holdOf(await readHold(tx, id).forNoKeyUpdate().executeTakeFirst(), holder);
}

function readHold(tx: TenantTx, id: string) {
  return tx.sql
    .selectFrom('job')
    .select(['state', 'holder', 'cancel_requested_at', TENANT_STATUS.as('tenant_status')])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
}

interface HoldRow {
  readonly state: string;
  readonly holder: string | null;
  readonly cancel_requested_at: string | null;
  readonly tenant_status: string;
}

function holdOf(row: HoldRow | undefined, holder: string): Hold {
  if (row?.state !== 'running' || row.holder !== holder) return 'lost';
  if (row.cancel_requested_at !== null) return 'cancelled';
  return row.tenant_status === 'active' ? 'ours' : 'suspended';
}

export interface JobEnd {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** What was noted last, where that is not written yet; one that succeeded shows all of it as done. */
  readonly progress?: JobProgress | null;
  /** Null of one that was cancelled: what whoever cancelled it noted stays. */
  readonly result: Record<string, unknown> | null;
  readonly error: JobError | null;
}

/** Ends the job; the caller has {@link lockJob | locked} it. */
export async function finishJob(tx: TenantTx, id: string, end: JobEnd): Promise<void> {
  const { state, result, error, progress = null } = end;
  const last = sql<
    string | null
  >`coalesce(${progress === null ? null : JSON.stringify(progress)}::jsonb, progress)`;
  const all = sql`greatest(1, (${last} ->> 'done')::int, (${last} ->> 'total')::int)`;
  await tx.sql
    .updateTable('job')
    .set({
      state,
      progress:
        state === 'succeeded'
          ? sql<string | null>`${last} || jsonb_build_object('done', ${all}, 'total', ${all})`
          : last,
      ...(state === 'cancelled' && result === null
        ? {}
        : { result: result === null ? null : JSON.stringify(result) }),
      error: error === null ? null : JSON.stringify(error),
      holder: null,
      finished_at: sql<string>`clock_timestamp()`,
      updated_at: sql<string>`clock_timestamp()`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

/**
 * Puts a job back that is to run again; the caller has {@link lockJob | locked} it.
 * @param attempt whether the run that ends here counts as one; not when it was stopped for no fault of its own
 */
export async function requeueJob(
  tx: TenantTx,
  id: string,
  attempt: 'counted' | 'not counted',
): Promise<void> {
  await tx.sql
    .updateTable('job')
    .set({
      state: 'queued',
      holder: null,
      progress: null,
      updated_at: sql<string>`now()`,
      ...(attempt === 'counted' ? {} : { attempt: sql<number>`attempt - 1` }),
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}
