/** The runs of a job: who holds it, its progress, and its end. */
import { sql } from 'kysely';
import type { Job, JobError, JobProgress } from '../../api/activity/jobs.ts';
import type { TenantTx } from '../database/database.ts';
import { JOB_COLUMNS, present, runsEqual } from './jobs.ts';

const TENANT_STATUS = sql<string>`(SELECT status FROM tenant WHERE tenant.id = job.tenant_id)`;

export interface StartedJob {
  readonly job: Job;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Takes the job for one run, away from an earlier run if there was one: from now on only `holder` may change the row. While the tenant is
 * suspended or stopped the job is parked instead: it waits without a message, see unparkJobs in tenants.ts.
 * @param equalSeconds a queued job is not taken while one of its type and for its resource has been running for no longer than that, by
 * the clock of the database; null: it is in any case
 * @returns null when there is nothing to do, or not yet
 */
export async function startJob(
  tx: TenantTx,
  id: string,
  holder: string,
  equalSeconds: number | null = null,
): Promise<StartedJob | null> {
  const started = await takeJob(tx, id, holder, equalSeconds);
  if (started !== null) return started;
  // Locked, so that the tenant's jobs are not resumed between the check and parking.
  const tenant = await tx.sql
    .selectFrom('tenant')
    .select('status')
    .where('id', '=', tx.tenantId)
    .forShare()
    .executeTakeFirst();
  if (tenant === undefined || tenant.status === 'active') return takeJob(tx, id, holder, equalSeconds);
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
 * Pauses the job in the middle of a run; any worker may continue it. The caller has {@link lockJob | locked} it. It made progress, so
 * earlier failed runs no longer count: a job that waits for days outlives any number of restarts.
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

async function takeJob(
  tx: TenantTx,
  id: string,
  holder: string,
  equalSeconds: number | null,
): Promise<StartedJob | null> {
  const row = await tx.sql
    .updateTable('job')
    .set({
      state: 'running',
      holder,
      // A paused job continues in the same run.
      attempt: sql<number>`CASE WHEN ${IS_PAUSED} THEN attempt ELSE attempt + 1 END`,
      started_at: sql<string>`coalesce(started_at, now())`,
      progress: sql<string | null>`CASE WHEN ${IS_PAUSED} THEN progress END`,
      updated_at: sql<string>`now()`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .where(sql<boolean>`${TENANT_STATUS} = 'active'`)
    .$if(equalSeconds !== null, (rows) =>
      rows.where(sql<boolean>`NOT (state = 'queued' AND ${runsEqual(equalSeconds!)})`),
    )
    .returning([...JOB_COLUMNS, 'input'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const { input, ...job } = row;
  return { job: present(job), input };
}

/**
 * What a run finds when it checks: continue, or stop because the job was cancelled, another run has taken it, or the tenant was suspended
 * or stopped.
 */
export type Hold = 'ours' | 'cancelled' | 'lost' | 'suspended';

/** @param progress null: unchanged */
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

/** Who holds the job now; see {@link lockJob} to end it. */
async function readJobHold(tx: TenantTx, id: string, holder: string): Promise<Hold> {
  return holdOf(await readHold(tx, id).executeTakeFirst(), holder);
}

/**
 * Locks the row until the transaction ends and says who holds it, so that a run ends its job only while it still holds it and no
 * cancellation comes in between. Lock it last, since cancelling waits for it. Jobs with this parent lock only its key.
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

/**
 * The job was taken away from a run of this process as from a dead worker's, which was counted as an attempt. But the worker lives: its heartbeats were
 * late. Does nothing where the job has ended, or was put back, meanwhile.
 */
export async function uncountDeath(tx: TenantTx, id: string, holder: string): Promise<void> {
  await tx.sql
    .updateTable('job')
    .set({ attempt: sql<number>`attempt - 1`, updated_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('holder', '<>', holder)
    .where('attempt', '>', 1)
    .execute();
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

/**
 * Ends the job well, if this run still holds it.
 * @param progress the last one, if it is not written yet
 * @returns who holds it; only `ours` has ended. A row that is `ours` is locked
 */
export async function succeedJob(
  tx: TenantTx,
  id: string,
  holder: string,
  { result, progress }: { readonly result: JobEnd['result']; readonly progress: JobProgress | null },
): Promise<Hold> {
  const { numUpdatedRows } = await endJob(tx, id, { state: 'succeeded', result, error: null, progress })
    .where('holder', '=', holder)
    .where('state', '=', 'running')
    .where('cancel_requested_at', 'is', null)
    .where(sql<boolean>`${TENANT_STATUS} = 'active'`)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 1n) return 'ours';
  const hold = await lockJob(tx, id, holder);
  // The tenant may have become active again in between.
  if (hold === 'ours') await finishJob(tx, id, { state: 'succeeded', result, error: null, progress });
  return hold;
}

export interface JobEnd {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** The last progress, if it is not written yet; a successful job shows everything as done. */
  readonly progress?: JobProgress | null;
  /** Null for a cancelled job: the result that the cancellation recorded stays. */
  readonly result: Record<string, unknown> | null;
  readonly error: JobError | null;
}

/** Ends the job; the caller has {@link lockJob | locked} it. */
export async function finishJob(tx: TenantTx, id: string, end: JobEnd): Promise<void> {
  await endJob(tx, id, end).execute();
}

function endJob(tx: TenantTx, id: string, end: JobEnd) {
  const { state, result, error, progress = null } = end;
  const last = sql<
    string | null
  >`coalesce(${progress === null ? null : JSON.stringify(progress)}::jsonb, progress)`;
  const all = sql`greatest(1, (${last} ->> 'done')::int, (${last} ->> 'total')::int)`;
  return tx.sql
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
    .where('id', '=', id);
}

/**
 * Puts a job back to run again; the caller has {@link lockJob | locked} it.
 * @param attempt whether the present run counts as an attempt; not if it was stopped through no fault of its own
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
