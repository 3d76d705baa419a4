import { Type, type Static, type TObject, type TSchema, type TUnsafe } from 'typebox';
import { JobState } from '../shapes/job-states.ts';
import {
  Id,
  Nullable,
  Strict,
  Timestamp,
  listQuery,
  oneOrSeveral,
  resourceMembers,
  sortBy,
} from '../shapes/page.ts';
import { JOB_RESULTS } from './job-results.ts';

export { JOB_STATES, JobState } from '../shapes/job-states.ts';

export const JOB_TYPES = [
  'module_refresh',
  'revision_build',
  'apply',
  'peer_reconcile',
  'revision_prune',
  'maintenance_policy_run',
  'postgres_maintenance',
  'router_reload',
] as const satisfies (keyof typeof JOB_RESULTS)[];
export const JobType = Type.Enum(JOB_TYPES);
export type JobType = Static<typeof JobType>;

/** As many as are named: whoever waits for more waits for something else. */
export const MOST_WAITED_FOR = 20;

export const JobProgress = Strict({
  phase: Type.String({ description: 'The current phase, such as `collect`', examples: ['collect'] }),
  done: Type.Integer({ minimum: 0 }),
  total: Nullable(Type.Integer({ minimum: 0 })),
  waiting_for: Type.Optional(
    Type.Array(Id, {
      maxItems: MOST_WAITED_FOR,
      description: `Of an apply: the speakers that it waits for, ${MOST_WAITED_FOR} of them at most`,
    }),
  ),
  to_begin: Type.Optional(
    Type.Array(Id, {
      maxItems: MOST_WAITED_FOR,
      description: `Of an apply: speakers that begin once those before them have done well, ${MOST_WAITED_FOR} of them at most`,
    }),
  ),
});
export type JobProgress = Static<typeof JobProgress>;

/** Why a job failed, in the members of a problem (RFC 9457). */
export const JobError = Strict(
  {
    code: Type.String(),
    title: Type.String(),
    detail: Type.String({ description: 'What was wrong, where, and how to fix it' }),
  },
  { description: 'Why the job failed, in the members of a problem' },
);
export type JobError = Static<typeof JobError>;

export const JobResource = Strict(
  { type: Type.String({ examples: ['module'] }), id: Id },
  {
    description:
      'What the job is about: a module, a revision, a peer, a speaker, a community or a maintenance policy',
  },
);
export type JobResource = Static<typeof JobResource>;

const members = {
  ...resourceMembers,
  state: JobState,
  progress: Nullable(JobProgress),
  attempt: Type.Integer({ minimum: 0, description: 'How often it was begun' }),
  queued_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  error: Nullable(JobError, 'Null: it has not failed'),
  resource: Nullable(JobResource),
  requested_by: Nullable(Type.String()),
  parent_id: Nullable(Id, 'The job that it was queued by'),
};

function jobOf(type: JobType): TObject {
  const result = Nullable<TSchema>(JOB_RESULTS[type], 'Null: it has not ended, or has nothing to show');
  return Strict({ type: Type.Literal(type), ...members, result });
}

export const ModuleRefreshJob = jobOf('module_refresh');
export const RevisionBuildJob = jobOf('revision_build');
export const ApplyJob = jobOf('apply');
export const PeerReconcileJob = jobOf('peer_reconcile');
export const RevisionPruneJob = jobOf('revision_prune');
export const MaintenancePolicyRunJob = jobOf('maintenance_policy_run');
export const PostgresMaintenanceJob = jobOf('postgres_maintenance');
export const RouterReloadJob = jobOf('router_reload');

/** A job of any type, as what does not look into its result takes it. */
export type Job = Static<TObject<typeof members>> & {
  readonly type: JobType;
  readonly result: Readonly<Record<string, unknown>> | null;
};

/** `type` says which it is, and so what its `result` holds. */
export const Job = Type.Union([
  ModuleRefreshJob,
  RevisionBuildJob,
  ApplyJob,
  PeerReconcileJob,
  RevisionPruneJob,
  MaintenancePolicyRunJob,
  PostgresMaintenanceJob,
  RouterReloadJob,
]) as TSchema as TUnsafe<Job>;

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
  type: Type.Optional(oneOrSeveral(JobType)),
  state: Type.Optional(oneOrSeveral(JobState)),
  resource_id: Type.Optional(Id),
  sort: sortBy(['created_at', '-created_at', 'queued_at', '-queued_at'], NEWEST_JOB_FIRST),
});
export type JobQuery = Static<typeof JobQuery>;
