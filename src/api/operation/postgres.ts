/** The PostgreSQL that the service uses, as a whole: how it is, and how it is looked after. */
import { Type, type Static, type TProperties } from 'typebox';
import { Nullable, Strict, Timestamp } from '../shapes/page.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const bytes = (description: string) => Type.Integer({ minimum: 0, description });
const seconds = (description: string) => Type.Number({ minimum: 0, description });
const moment = (description: string) => Nullable(Timestamp, description);

const ofInstance = {
  server: Strict({
    version: Type.String(),
    started_at: Timestamp,
    uptime_seconds: seconds('Since its start'),
    role: Type.Enum(['primary', 'standby']),
  }),
  database: Strict({
    name: Type.String(),
    bytes: bytes('All of it on disk'),
    commits: count('Transactions committed since `statistics_since`'),
    rollbacks: count('Transactions rolled back'),
    deadlocks: count('Deadlocks'),
    temporary_bytes: bytes('Written to temporary files'),
    cache_hit_ratio: Nullable(
      Type.Number({ minimum: 0, maximum: 1 }),
      'Share of blocks that were found in shared memory; null: none was read',
    ),
    statistics_since: moment('When these counters were reset; null: never'),
  }),
  connections: Strict({
    total: count('Of clients, to all databases'),
    limit: count('`max_connections`'),
    active: count('At work'),
    idle: count('Waiting for their client'),
    idle_in_transaction: count('Waiting for their client within a transaction'),
    other: count('In another state, or of users whose state cannot be seen'),
  }),
  wal: Strict({
    bytes: bytes('Written since `since`'),
    bytes_per_second: Type.Number({ minimum: 0, description: 'On average since then' }),
    since: Timestamp,
  }),
  checkpoints: Strict({
    timed: count('Due by time'),
    requested: count('Asked for, or due by the amount of WAL'),
    write_seconds: seconds('Spent writing'),
    sync_seconds: seconds('Spent waiting for the disk'),
  }),
  transactions: Strict({
    oldest_seconds: Nullable(Type.Number({ minimum: 0 }), 'Age of the oldest open one; null: none is open'),
    oldest_application: Nullable(Type.String(), 'Whose it is'),
    id_age: count('Transaction ids since the oldest that is not frozen'),
    id_age_percent: Type.Number({ minimum: 0, description: 'Of the 2,147,483,647 that are possible' }),
  }),
};

const lists = {
  waiting_locks: Type.Array(
    Strict({
      pid: Type.Integer(),
      application: Nullable(Type.String()),
      mode: Type.String(),
      table: Nullable(Type.String()),
      waiting_seconds: Nullable(Type.Number()),
      blocked_by: Type.Array(Type.Integer(), { description: 'Processes that it waits for' }),
    }),
  ),
  replication_slots: Type.Array(
    Strict({
      name: Type.String(),
      type: Type.String(),
      active: Type.Boolean(),
      retained_bytes: Nullable(Type.Integer(), 'WAL that is kept for it'),
    }),
  ),
  replicas: Type.Array(
    Strict({
      application: Nullable(Type.String()),
      state: Nullable(Type.String()),
      lag_bytes: Nullable(Type.Integer()),
      lag_seconds: Nullable(Type.Number()),
    }),
  ),
  tables: Type.Array(
    Strict({
      name: Type.String({ description: 'As `POST /v1/postgres/maintenance` takes it' }),
      bytes: bytes('With what is stored apart (TOAST), without indexes'),
      rows: count('Estimated'),
      dead_rows: count('Estimated: changed or deleted, and not vacuumed yet'),
      bloat_bytes: bytes('Estimated: what its dead rows take'),
      sequential_scans: count('Of the whole table'),
      index_scans: count('By indexes'),
      last_vacuum_at: moment('By hand or by itself'),
      last_analyze_at: moment('By hand or by itself'),
    }),
  ),
  indexes: Type.Array(
    Strict({
      name: Type.String(),
      table: Type.String(),
      bytes: bytes('On disk'),
      scans: count('That used it'),
      bloat_bytes: bytes('Estimated: the share of dead rows of its table'),
      is_valid: Type.Boolean({
        description: 'false: what is left of an index that was not built to its end',
      }),
    }),
  ),
};

const NOT_SEEN = 'null: see `unavailable`';

function nullable<T extends TProperties>(members: T): { [K in keyof T]: ReturnType<typeof Nullable<T[K]>> } {
  const entries = Object.entries(members).map(([name, schema]) => [name, Nullable(schema, NOT_SEEN)]);
  return Object.fromEntries(entries) as { [K in keyof T]: ReturnType<typeof Nullable<T[K]>> };
}

export const PostgresMetrics = Strict({
  ...nullable(ofInstance),
  ...nullable(lists),
  unavailable: Type.Array(Strict({ member: Type.String(), reason: Type.String() }), {
    description: 'Members that the user of `DATABASE_URL` may not see, and why',
  }),
});
export type PostgresMetrics = Static<typeof PostgresMetrics>;

export const POSTGRES_OPERATIONS = ['vacuum', 'analyze', 'reindex'] as const;
export const PostgresOperation = Type.Enum(POSTGRES_OPERATIONS, {
  description:
    '`vacuum` makes the room of dead rows free for new ones, `analyze` renews what the planner knows, `reindex` builds indexes again ' +
    '(`REINDEX CONCURRENTLY`)',
});
export type PostgresOperation = Static<typeof PostgresOperation>;

export const PostgresMaintenance = Strict({
  operation: PostgresOperation,
  table: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 130,
      description: 'One of the `tables` of `GET /v1/postgres/metrics`; default: all of them',
      examples: ['audit_record'],
    }),
  ),
});
export type PostgresMaintenance = Static<typeof PostgresMaintenance>;
