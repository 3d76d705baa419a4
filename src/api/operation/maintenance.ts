/** Maintenance policies: what is removed or looked after by itself, how, and when. */
import { Type, type Static, type TSchema } from 'typebox';
import { JobState } from '../shapes/job-states.ts';
import { Name } from '../shapes/names.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from '../shapes/page.ts';
import { RuntimeLogMode } from './runtime-logs.ts';

const DAY = 'Only what is older than this number of days';
const days = (minimum: number) => Type.Integer({ minimum, maximum: 36_500, description: DAY });
const KEEP = 'This number of the newest stay, however old';
const keepLast = Type.Integer({ minimum: 0, maximum: 1_000_000, description: KEEP });
const bytes = Nullable(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  'As the setting `runtime_logs_…` of the same name; null: what the setting says',
);

const TABLES = 'Of the `tables` of `GET /v1/postgres/metrics`; none: all of them';
const tables = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 130 }), {
    maxItems: 100,
    uniqueItems: true,
    description,
  });

interface Parameter {
  readonly schema: TSchema;
  readonly default: unknown;
}

interface Kind {
  /** What a run does, for a person. */
  readonly does: string;
  /** It concerns the machine or the whole database. */
  readonly ofHome: boolean;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

const ofTables = { tables: { schema: tables(TABLES), default: [] as string[] } } as const;

/** Every kind of policy, with the parameters that it takes. */
export const MAINTENANCE_KINDS = {
  revision_prune: {
    does: 'removes old revisions, and contents that no other revision uses',
    ofHome: false,
    parameters: {
      older_than_days: {
        schema: Nullable(days(0), `${DAY}; null: than the setting \`revision_retention_minutes\``),
        default: null,
      },
      keep_last: { schema: keepLast, default: 0 },
    },
  },
  job_prune: {
    does: 'removes jobs that ended long ago',
    ofHome: false,
    parameters: {
      older_than_days: { schema: days(0), default: 90 },
      keep_last: { schema: keepLast, default: 1_000 },
    },
  },
  audit_prune: {
    does: 'removes old records of the audit log, except those that a portal has not been sent, and those of next hops that speakers have yet to be sent',
    ofHome: false,
    parameters: { older_than_days: { schema: days(30), default: 365 } },
  },
  runtime_logs_cleanup: {
    does: 'empties or deletes log files, as the automatic cleanup does',
    ofHome: true,
    parameters: {
      max_file_bytes: { schema: bytes, default: null },
      max_total_bytes: { schema: bytes, default: null },
      mode: { schema: Nullable(RuntimeLogMode), default: null },
    },
  },
  postgres_vacuum: {
    does: 'makes the room of dead rows in tables free for new ones',
    ofHome: true,
    parameters: ofTables,
  },
  postgres_analyze: { does: 'renews what the planner knows of tables', ofHome: true, parameters: ofTables },
  postgres_reindex: { does: 'builds the indexes of tables again', ofHome: true, parameters: ofTables },
} as const satisfies Record<string, Kind>;

export type MaintenanceKind = keyof typeof MAINTENANCE_KINDS;
export const MAINTENANCE_KIND_NAMES = Object.keys(MAINTENANCE_KINDS) as MaintenanceKind[];
export const MaintenanceKind = Type.Enum(MAINTENANCE_KIND_NAMES, {
  description: MAINTENANCE_KIND_NAMES.map((kind) => `\`${kind}\` ${MAINTENANCE_KINDS[kind].does}`).join('; '),
});

export const MaintenanceParameters = Type.Partial(
  Strict({
    older_than_days: Nullable(
      Type.Integer({ minimum: 0, maximum: 36_500 }),
      `${DAY}: of \`revision_prune\` (null: than the setting \`revision_retention_minutes\`), \`job_prune\` and \`audit_prune\` (30 at least)`,
    ),
    keep_last: Type.Integer({ ...keepLast, description: `${KEEP}: of \`revision_prune\` and \`job_prune\`` }),
    max_file_bytes: bytes,
    max_total_bytes: bytes,
    tables: tables(`${TABLES}: of \`postgres_vacuum\`, \`postgres_analyze\` and \`postgres_reindex\``),
    mode: Nullable(
      RuntimeLogMode,
      'Of `runtime_logs_cleanup`; null: as the setting `runtime_logs_auto_mode`',
    ),
  }),
  { additionalProperties: false, description: 'What the kind takes; each has a default' },
);
export type MaintenanceParameters = Static<typeof MaintenanceParameters>;

const writable = {
  name: Name('Unique in the tenant'),
  parameters: MaintenanceParameters,
  schedule: Nullable(
    Type.String({ maxLength: 100, examples: ['0 4 * * 0'] }),
    'Minute, hour, day of the month, month and weekday (cron), in UTC; null: only when asked',
  ),
  enabled: Type.Boolean({ description: 'false: it runs only when asked; default: true' }),
};

export const MaintenanceRun = Strict({
  job_id: Id,
  state: JobState,
  queued_at: Timestamp,
  finished_at: Nullable(Timestamp),
});
export type MaintenanceRun = Static<typeof MaintenanceRun>;

export const MaintenancePolicy = Strict({
  ...resourceMembers,
  kind: MaintenanceKind,
  ...writable,
  next_run_at: Nullable(Timestamp, 'null: it is disabled, or has no schedule'),
  last_run: Nullable(MaintenanceRun, 'null: it has not run'),
});
export type MaintenancePolicy = Static<typeof MaintenancePolicy>;

export const MaintenancePolicyCreate = Strict({
  name: writable.name,
  kind: MaintenanceKind,
  parameters: Type.Optional(writable.parameters),
  schedule: Type.Optional(writable.schedule),
  enabled: Type.Optional(writable.enabled),
});
export type MaintenancePolicyCreate = Static<typeof MaintenancePolicyCreate>;

export const MaintenancePolicyPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type MaintenancePolicyPatch = Static<typeof MaintenancePolicyPatch>;

export const MaintenancePolicyQuery = listQuery({
  kind: Type.Optional(MaintenanceKind),
  enabled: Type.Optional(Type.Boolean()),
});
export type MaintenancePolicyQuery = Static<typeof MaintenancePolicyQuery>;

export const MaintenanceRunQuery = listQuery({ state: Type.Optional(JobState) });
export type MaintenanceRunQuery = Static<typeof MaintenanceRunQuery>;

/** What a run removes: the same before as a dry run, and after as the result of its job. */
export const MaintenanceEffect = Strict({
  kind: MaintenanceKind,
  dry_run: Type.Boolean(),
  count: Type.Integer({ minimum: 0, description: 'Revisions, jobs, records or files' }),
  bytes: Type.Integer({ minimum: 0, description: 'What they take, as stored' }),
  names: Type.Array(Type.String(), { description: 'The first 100 of them' }),
});
export type MaintenanceEffect = Static<typeof MaintenanceEffect>;
