import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import {
  type Job,
  type JobError,
  type JobProgress,
  type JobQuery,
  type JobType,
  NEWEST_JOB_FIRST,
} from '../api/jobs.ts';
import type { Page } from '../api/page.ts';
import { notFound } from '../api/problem.ts';
import type { SystemTx, TenantTx, Versioned } from './database/database.ts';
import { type Place, behind, readSort, readSorted } from './database/pagination.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'type',
  'state',
  'progress',
  'attempt',
  'queued_at',
  'started_at',
  'finished_at',
  'error',
  'result',
  'requested_by',
  'parent_id',
  'resource_type',
  'resource_id',
] as const;

const TENANT_STATUS = sql<string>`(SELECT status FROM tenant WHERE tenant.id = job.tenant_id)`;

type Row = Omit<Job, 'resource'> & {
  readonly resource_type: string | null;
  readonly resource_id: string | null;
};

function present({ resource_type: type, resource_id: id, ...job }: Row): Job {
  return { ...job, resource: type === null || id === null ? null : { type, id } };
}

function select(tx: TenantTx) {
  return tx.sql.selectFrom('job').select(COLUMNS).where('tenant_id', '=', tx.tenantId);
}

/** The newest first where the query says nothing else. */
export function listJobs(tx: TenantTx, query: JobQuery): Promise<Page<Job>> {
  const { type, state, resource_id: resource, sort = NEWEST_JOB_FIRST } = query;
  const { by, isDescending } = readSort<'created_at' | 'queued_at'>(sort);
  const direction = isDescending ? 'desc' : 'asc';
  const fetch = (after: Place | null, limit: number) =>
    select(tx)
      .$if(type !== undefined, (rows) => rows.where('type', '=', type!))
      .$if(state !== undefined, (rows) => rows.where('state', '=', state!))
      .$if(resource !== undefined, (rows) => rows.where('resource_id', '=', resource!))
      .$if(after !== null, (rows) => rows.where(behind(by, 'id', sort, after!)))
      .orderBy(by, direction)
      .orderBy('id', direction)
      .limit(limit)
      .execute();
  const sorted: JobQuery = { ...query, sort };
  return readSorted(tx, 'jobs', sorted, fetch, (row) => Date.parse(row[by]), present);
}

export async function findJob(tx: TenantTx, id: string): Promise<Job | null> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** Of these jobs those that have not ended. */
export async function listOpenJobs(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('job')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .where('finished_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** No operator's change is ever lost at a job, so its version stays 1. */
export async function getJob(tx: TenantTx, id: string): Promise<Versioned<Job>> {
  const resource = await findJob(tx, id);
  if (resource === null) throw notFound('job', id);
  return { resource, version: 1 };
}

export interface NewJob {
  readonly type: JobType;
  readonly input: Readonly<Record<string, unknown>>;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly requestedBy: string;
  readonly parentId: string | null;
}

export async function insertJob(tx: TenantTx, job: NewJob): Promise<Job> {
  const row = await tx.sql
    .insertInto('job')
    .values({
      tenant_id: tx.tenantId,
      id: uuidv7(),
      type: job.type,
      input: JSON.stringify(job.input),
      resource_type: job.resource?.type ?? null,
      resource_id: job.resource?.id ?? null,
      requested_by: job.requestedBy,
      parent_id: job.parentId,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return present(row);
}

/** Cancels a job that waits at once; one that runs is told, and one that has ended stays as it is. */
export async function requestJobCancel(tx: TenantTx, id: string): Promise<Versioned<Job>> {
  const isQueued = sql<boolean>`state = 'queued'`;
  await tx.sql
    .updateTable('job')
    .set({
      cancel_requested_at: sql<string>`coalesce(cancel_requested_at, now())`,
      state: sql`CASE WHEN ${isQueued} THEN 'cancelled' ELSE state END`,
      finished_at: sql<string>`CASE WHEN ${isQueued} THEN now() ELSE finished_at END`,
      updated_at: sql<string>`now()`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return getJob(tx, id);
}

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
    .returning([...COLUMNS, 'input'])
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
      result: result === null ? null : JSON.stringify(result),
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

export interface OpenJobQuery {
  readonly type: JobType;
  /** Null: of any resource, or none. */
  readonly resourceId?: string;
  /** The member of that name of the job's input; any where nothing is said. */
  readonly cause?: string;
  /** Only one that no worker has taken yet. */
  readonly isQueued?: boolean;
}

/** A job that waits or runs, the oldest of them. */
export async function findOpenJob(tx: TenantTx, query: OpenJobQuery): Promise<Job | null> {
  const { type, resourceId, cause, isQueued = false } = query;
  const row = await select(tx)
    .where('type', '=', type)
    .where(isQueued ? sql<boolean>`state = 'queued'` : sql<boolean>`state IN ('queued', 'running')`)
    .$if(resourceId !== undefined, (rows) => rows.where('resource_id', '=', resourceId!))
    .$if(cause !== undefined, (rows) => rows.where(sql<boolean>`input ->> 'cause' = ${cause}`))
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** Whether refreshes wait, or run since no longer than that by the clock of the database; the one `besides` does not count. */
export async function hasRefreshes(
  tx: TenantTx,
  { besides, slowAfterSeconds }: { readonly besides: string | null; readonly slowAfterSeconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job
     WHERE tenant_id = ${tx.tenantId} AND type = 'module_refresh' AND id IS DISTINCT FROM ${besides}::uuid
       AND (state = 'queued'
            OR (state = 'running' AND started_at > clock_timestamp() - make_interval(secs => ${slowAfterSeconds}::int)))
     LIMIT 1`.execute(tx.sql);
  return rows.length > 0;
}

/** Whether the job was asked for longer ago than that, by the clock of the database. */
export async function isOlderThan(tx: TenantTx, id: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job
     WHERE tenant_id = ${tx.tenantId} AND id = ${id}
       AND queued_at < clock_timestamp() - make_interval(secs => ${seconds}::int)`.execute(tx.sql);
  return rows.length > 0;
}

/** Jobs of all tenants by state. */
export async function countJobsByState(tx: SystemTx): Promise<{ state: string; count: number }[]> {
  return tx.sql
    .selectFrom('job')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
}
