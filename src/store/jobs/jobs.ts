import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type Job, type JobQuery, type JobType, NEWEST_JOB_FIRST } from '../../api/activity/jobs.ts';
import type { Page } from '../../api/shapes/page.ts';
import { notFound } from '../../api/problems/problem.ts';
import { notify, type SystemTx, type TenantTx, type Versioned } from '../database/database.ts';
import { PLANNED_EACH_TIME } from '../database/session.ts';
import { type Place, behind, fetchEach, readSort, readSorted, valuesOf } from '../database/pagination.ts';

/** Channel with hints for workers about jobs that may start; the payload is their type. */
export const JOBS_CHANNEL = 'prefixcast_jobs';
/** Channel with hints for workers about cancelled running jobs; the payload is the job. */
export const CANCELLED_JOBS_CHANNEL = 'prefixcast_cancelled_jobs';

/** Of a job, as {@link present} takes them. */
export const JOB_COLUMNS = [
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

type Row = Omit<Job, 'resource'> & {
  readonly resource_type: string | null;
  readonly resource_id: string | null;
};

export function present({ resource_type: type, resource_id: id, ...job }: Row): Job {
  return { ...job, resource: type === null || id === null ? null : { type, id } };
}

function select(tx: TenantTx) {
  return tx.sql.selectFrom('job').select(JOB_COLUMNS).where('tenant_id', '=', tx.tenantId);
}

/** The newest first where the query says nothing else. */
export function listJobs(tx: TenantTx, query: JobQuery): Promise<Page<Job>> {
  const { resource_id: resource, sort = NEWEST_JOB_FIRST } = query;
  const { by, isDescending } = readSort<'created_at' | 'queued_at'>(sort);
  const direction = isDescending ? 'desc' : 'asc';
  const isFiltered = [query.type, query.state, resource].some((filter) => filter !== undefined);
  const states = valuesOf(query.state);
  const choices = valuesOf(query.type).flatMap((type) => states.map((state) => ({ type, state })));
  const fetchOne = (after: Place | null, limit: number, { type, state }: (typeof choices)[number]) =>
    select(tx)
      .$if(type !== undefined, (rows) => rows.where('type', '=', type!))
      .$if(state !== undefined, (rows) => rows.where('state', '=', state!))
      .$if(resource !== undefined, (rows) => rows.where('resource_id', '=', resource!))
      .$if(after !== null, (rows) => rows.where(behind(by, 'id', sort, after!)))
      .orderBy(by, direction)
      .orderBy('id', direction)
      .limit(limit)
      .$if(isFiltered, (rows) => rows.modifyEnd(PLANNED_EACH_TIME))
      .execute();
  const sorted: JobQuery = { ...query, sort };
  const positionOf = (row: Awaited<ReturnType<typeof fetchOne>>[number]): number => Date.parse(row[by]);
  const fetch = (after: Place | null, limit: number) =>
    fetchEach(choices, (choice) => fetchOne(after, limit, choice), { isDescending, limit, positionOf });
  return readSorted(tx, 'jobs', sorted, fetch, positionOf, present);
}

export async function findJob(tx: TenantTx, id: string): Promise<Job | null> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** Those of these jobs of the tenant that have not ended. */
export async function listOpenJobs(
  tx: SystemTx,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('job')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .where('finished_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Jobs are not edited, so their version stays 1. */
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

/** Inserts the job, and sends workers a hint. */
export async function insertJob(tx: TenantTx, job: NewJob): Promise<Job> {
  return (await insertNextJob(tx, job)).job;
}

/** {@link insertJob}, and whether no other job of its type waits or runs. */
export async function insertNextJob(
  tx: TenantTx,
  job: NewJob,
): Promise<{ readonly job: Job; readonly isFirst: boolean }> {
  const {
    hint: _,
    is_first: isFirst,
    ...row
  } = await tx.sql
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
    .returning(JOB_COLUMNS)
    .returning(sql`pg_notify(${JOBS_CHANNEL}, ${job.type})`.as('hint'))
    // A statement does not see what it inserts.
    .returning(
      sql<boolean>`NOT EXISTS (
        SELECT FROM job other
         WHERE other.tenant_id = job.tenant_id AND other.type = job.type AND other.state IN ('queued', 'running'))`.as(
        'is_first',
      ),
    )
    .executeTakeFirstOrThrow();
  return { job: present(row), isFirst };
}

/** Cancels a waiting job at once; a running one is notified, and one that has ended stays as it is. */
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
  await notify(tx, CANCELLED_JOBS_CHANNEL, id);
  return getJob(tx, id);
}

/** Whether somebody has cancelled the job; nobody does it from here on until the transaction ends. */
export async function isCancelled(tx: TenantTx, id: string): Promise<boolean> {
  const row = await tx.sql
    .selectFrom('job')
    .select('cancel_requested_at')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined && row.cancel_requested_at !== null;
}

/** What a job that is to be cancelled has done by now. */
export async function noteJobResult(
  tx: TenantTx,
  id: string,
  result: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.sql
    .updateTable('job')
    .set({ result: JSON.stringify(result) })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

/**
 * Types of waiting or running jobs. The worker of a running one may have died, and a waiting one may be due for a retry: neither sends a
 * hint.
 */
export async function listOpenTypes(tx: SystemTx): Promise<JobType[]> {
  const { rows } = await sql<{ type: JobType }>`
    SELECT DISTINCT type FROM job WHERE state IN ('queued', 'running') AND parked_at IS NULL`.execute(tx.sql);
  return rows.map(({ type }) => type);
}

/** Jobs of active tenants that no worker has taken yet, in their order. */
export async function listQueuedJobs(
  tx: SystemTx,
): Promise<{ readonly tenant_id: string; readonly id: string; readonly type: JobType }[]> {
  return tx.sql
    .selectFrom('job')
    .innerJoin('tenant', 'tenant.id', 'job.tenant_id')
    .select(['job.tenant_id', 'job.id', 'job.type'])
    .where('job.state', '=', 'queued')
    .where('job.parked_at', 'is', null)
    .where('tenant.status', '=', 'active')
    .orderBy('job.id')
    .execute();
}

export interface OpenJobQuery {
  readonly type: JobType;
  /** Null: of any resource, or none. */
  readonly resourceId?: string;
  /** The member of that name in the job's input; absent: any. */
  readonly cause?: string;
  /** Only a job that no worker has taken yet. */
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

const refreshes = (tx: TenantTx, besides: string | null, slowAfterSeconds: number) => sql<boolean>`EXISTS (
  SELECT FROM job
   WHERE tenant_id = ${tx.tenantId} AND type = 'module_refresh' AND id IS DISTINCT FROM ${besides}::uuid
     AND (state = 'queued'
          OR (state = 'running' AND started_at > clock_timestamp() - make_interval(secs => ${slowAfterSeconds}::int))))`;

/** Whether refreshes wait, or have been running for no longer than that, by the clock of the database. */
export async function hasRefreshes(tx: TenantTx, slowAfterSeconds: number): Promise<boolean> {
  const { rows } = await sql<{
    has: boolean;
  }>`SELECT ${refreshes(tx, null, slowAfterSeconds)} AS has`.execute(tx.sql);
  return rows[0]!.has;
}

/** {@link hasRefreshes}, the one `besides` left out, or whether a revision waits to be built or is being built. */
export async function hasRefreshesOrBuild(
  tx: TenantTx,
  { besides, slowAfterSeconds }: { readonly besides: string; readonly slowAfterSeconds: number },
): Promise<boolean> {
  const { rows } = await sql<{
    has: boolean;
  }>`SELECT ${refreshesOrBuild(tx, besides, slowAfterSeconds)} AS has`.execute(tx.sql);
  return rows[0]!.has;
}

/** What {@link hasRefreshesOrBuild} asks, as a part of another statement. */
export function refreshesOrBuild(tx: TenantTx, besides: string, slowAfterSeconds: number) {
  return sql<boolean>`(
    ${refreshes(tx, besides, slowAfterSeconds)}
    OR EXISTS (SELECT FROM job
                WHERE tenant_id = ${tx.tenantId} AND type = 'revision_build' AND state IN ('queued', 'running')))`;
}

/**
 * Whether the job is queued while one of its type and for its resource has been running for no longer than that, by the clock of the
 * database.
 */
export async function waitsForEqual(
  tx: SystemTx,
  tenantId: string,
  id: string,
  slowAfterSeconds: number,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job
     WHERE tenant_id = ${tenantId} AND id = ${id} AND state = 'queued' AND ${runsEqual(slowAfterSeconds)}`.execute(
    tx.sql,
  );
  return rows.length > 0;
}

/** Of a row of `job`: whether another of its type and for its resource has been running for no longer than that. */
export function runsEqual(slowAfterSeconds: number) {
  return sql<boolean>`EXISTS (
    SELECT FROM job other
     WHERE other.tenant_id = job.tenant_id AND other.type = job.type AND other.resource_id = job.resource_id
       AND other.id <> job.id AND other.state = 'running'
       AND other.started_at > clock_timestamp() - make_interval(secs => ${slowAfterSeconds}::int))`;
}

/** Whether the job was requested longer ago than that, by the clock of the database. */
export async function isOlderThan(tx: TenantTx, id: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job
     WHERE tenant_id = ${tx.tenantId} AND id = ${id}
       AND queued_at < clock_timestamp() - make_interval(secs => ${seconds}::int)`.execute(tx.sql);
  return rows.length > 0;
}

/** Jobs of all tenants by state. Ended ones may be millions, so triggers count them. */
export async function countJobsByState(tx: SystemTx): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql<{ state: string; count: number }>`
    SELECT state, sum(jobs)::bigint AS count FROM ended_job_count GROUP BY state HAVING sum(jobs) > 0
    UNION ALL
    SELECT state, count(*) FROM job WHERE state IN ('queued', 'running') GROUP BY state`.execute(tx.sql);
  return rows;
}
