import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict, Timestamp, listQuery, resourceMembers, sortBy } from '../shapes/page.ts';

export const JOB_TYPES = [
  'module_refresh',
  'revision_build',
  'apply',
  'peer_reconcile',
  'revision_prune',
  'maintenance_policy_run',
  'postgres_maintenance',
  'router_reload',
] as const;
export const JobType = Type.Enum(JOB_TYPES);
export type JobType = Static<typeof JobType>;

export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export const JobState = Type.Enum(JOB_STATES);
export type JobState = Static<typeof JobState>;

export const JobProgress = Strict({
  phase: Type.String({ description: 'The current phase, such as `collect`' }),
  done: Type.Integer({ minimum: 0 }),
  total: Nullable(Type.Integer({ minimum: 0 })),
});
export type JobProgress = Static<typeof JobProgress>;

/** Why a job failed, in the members of a problem (RFC 9457). */
export const JobError = Strict({ code: Type.String(), title: Type.String(), detail: Type.String() });
export type JobError = Static<typeof JobError>;

export const Job = Strict({
  ...resourceMembers,
  type: JobType,
  state: JobState,
  progress: Nullable(JobProgress),
  attempt: Type.Integer({ minimum: 0 }),
  queued_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  error: Nullable(JobError),
  result: Nullable(Type.Record(Type.String(), Type.Unknown())),
  resource: Nullable(Strict({ type: Type.String(), id: Id })),
  requested_by: Nullable(Type.String()),
  parent_id: Nullable(Id),
});
export type Job = Static<typeof Job>;

/** The longest wait for the end of a job. */
export const MAXIMUM_JOB_WAIT_SECONDS = 60;

export const JobReadQuery = Strict({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAXIMUM_JOB_WAIT_SECONDS,
      description: 'Seconds to wait for the end of the job; the answer comes at once if it has ended',
    }),
  ),
});
export type JobReadQuery = Static<typeof JobReadQuery>;

/** The order of jobs where nothing is said. */
export const NEWEST_JOB_FIRST = '-created_at';

export const JobQuery = listQuery({
  type: Type.Optional(JobType),
  state: Type.Optional(JobState),
  resource_id: Type.Optional(Id),
  sort: sortBy(['created_at', '-created_at', 'queued_at', '-queued_at'], NEWEST_JOB_FIRST),
});
export type JobQuery = Static<typeof JobQuery>;
