/** Gauges of PostgreSQL, read when metrics are scraped: the numbers of `GET /v1/postgres/metrics`. */
import { Gauge, type Registry } from 'prom-client';
import type { PostgresMetrics } from '../../api/operation/postgres.ts';
import type { LineLog } from '../../control/operator-log.ts';
import type { Database } from '../../store/database/database.ts';
import { readPostgresMetrics } from '../../store/postgres/metrics.ts';
import { warnUnread } from './unread.ts';

/** However often somebody scrapes, the sizes of all tables are asked no more often than this. */
const KEPT_MILLISECONDS = 10_000;

type Labels = Readonly<Record<string, string>>;
type Series = readonly [labels: Labels, value: number | null | undefined];

interface PostgresGauge {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly series: (metrics: PostgresMetrics) => readonly Series[];
}

type Table = NonNullable<PostgresMetrics['tables']>[number];
type Index = NonNullable<PostgresMetrics['indexes']>[number];
type Replica = NonNullable<PostgresMetrics['replicas']>[number];
type NumberOf<T> = (of: T) => number | null | undefined;

const single = (name: string, help: string, pick: NumberOf<PostgresMetrics>): PostgresGauge => ({
  ...{ name, help, series: (metrics: PostgresMetrics): Series[] => [[{}, pick(metrics)]] },
});

const ofTables = (name: string, help: string, pick: NumberOf<Table>): PostgresGauge => ({
  ...{ name: `table_${name}`, help, labels: ['table'] },
  series: ({ tables }) => (tables ?? []).map((table) => [{ table: table.name }, pick(table)]),
});

const ofReplicas = (unit: string, help: string, pick: NumberOf<Replica>): PostgresGauge => ({
  ...{ name: `replica_lag_${unit}`, help, labels: ['application'] },
  series: ({ replicas }) =>
    (replicas ?? []).map((replica) => [{ application: replica.application ?? '' }, pick(replica)]),
});

const ofIndexes = (name: string, help: string, pick: NumberOf<Index>): PostgresGauge => ({
  ...{ name: `index_${name}`, help, labels: ['table', 'index'] },
  series: ({ indexes }) =>
    (indexes ?? []).map((index) => [{ table: index.table, index: index.name }, pick(index)]),
});

const unixTime = (moment: string | null): number | null =>
  moment === null ? null : Date.parse(moment) / 1000;

const GAUGES: readonly PostgresGauge[] = [
  {
    ...{ name: 'info', help: 'The server: 1, with its version and role.', labels: ['version', 'role'] },
    series: ({ server }) => (server === null ? [] : [[{ version: server.version, role: server.role }, 1]]),
  },
  single('uptime_seconds', 'Time since the start of the server.', ({ server }) => server?.uptime_seconds),
  single('database_bytes', 'Size of the database on disk.', ({ database }) => database?.bytes),
  single('commits', 'Transactions committed.', ({ database }) => database?.commits),
  single('rollbacks', 'Transactions rolled back.', ({ database }) => database?.rollbacks),
  single('deadlocks', 'Deadlocks.', ({ database }) => database?.deadlocks),
  single('temporary_bytes', 'Written to temporary files.', ({ database }) => database?.temporary_bytes),
  single(
    'cache_hit_ratio',
    'Share of blocks that were found in shared memory.',
    ({ database }) => database?.cache_hit_ratio,
  ),
  {
    ...{ name: 'connections', help: 'Connections of clients by state.', labels: ['state'] },
    series: ({ connections }) =>
      (['active', 'idle', 'idle_in_transaction', 'other'] as const).map((state) => [
        { state },
        connections?.[state],
      ]),
  },
  single('connections_limit', 'Connections that the server allows.', ({ connections }) => connections?.limit),
  single('wal_bytes', 'WAL written.', ({ wal }) => wal?.bytes),
  single(
    'wal_bytes_per_second',
    'WAL written, on average since its statistics were reset.',
    ({ wal }) => wal?.bytes_per_second,
  ),
  {
    ...{ name: 'checkpoints', help: 'Checkpoints by cause.', labels: ['cause'] },
    series: ({ checkpoints }) => [
      [{ cause: 'timed' }, checkpoints?.timed],
      [{ cause: 'requested' }, checkpoints?.requested],
    ],
  },
  {
    ...{ name: 'checkpoint_seconds', help: 'Time that checkpoints took.', labels: ['part'] },
    series: ({ checkpoints }) => [
      [{ part: 'write' }, checkpoints?.write_seconds],
      [{ part: 'sync' }, checkpoints?.sync_seconds],
    ],
  },
  single(
    'oldest_transaction_seconds',
    'Age of the oldest open transaction; 0: none is open.',
    ({ transactions }) => (transactions === null ? null : (transactions.oldest_seconds ?? 0)),
  ),
  single(
    'transaction_id_age',
    'Transaction ids since the oldest that is not frozen.',
    ({ transactions }) => transactions?.id_age,
  ),
  single('waiting_locks', 'Locks that are waited for.', ({ waiting_locks: locks }) => locks?.length),
  {
    ...{ name: 'replication_slot_bytes', help: 'WAL kept for a replication slot.', labels: ['slot'] },
    series: ({ replication_slots: slots }) =>
      (slots ?? []).map(({ name, retained_bytes: bytes }) => [{ slot: name }, bytes]),
  },
  ofReplicas('bytes', 'WAL that a replica has not replayed.', ({ lag_bytes: bytes }) => bytes),
  ofReplicas('seconds', 'By how much a replica is behind.', ({ lag_seconds: seconds }) => seconds),
  ofTables('bytes', 'Size of a table without its indexes.', ({ bytes }) => bytes),
  ofTables('rows', 'Rows of a table, estimated.', ({ rows }) => rows),
  ofTables('dead_rows', 'Dead rows of a table, estimated.', ({ dead_rows: rows }) => rows),
  ofTables('bloat_bytes', 'What dead rows of a table take, estimated.', ({ bloat_bytes: bytes }) => bytes),
  ofTables('sequential_scans', 'Scans of the whole table.', ({ sequential_scans: scans }) => scans),
  ofTables('index_scans', 'Scans of a table by its indexes.', ({ index_scans: scans }) => scans),
  ofTables('last_vacuum_seconds', 'When a table was vacuumed last, as Unix time.', (table) =>
    unixTime(table.last_vacuum_at),
  ),
  ofTables('last_analyze_seconds', 'When a table was analyzed last, as Unix time.', (table) =>
    unixTime(table.last_analyze_at),
  ),
  ofIndexes('bytes', 'Size of an index.', ({ bytes }) => bytes),
  ofIndexes('scans', 'Scans that used an index.', ({ scans }) => scans),
  ofIndexes('bloat_bytes', 'Bloat of an index, estimated.', ({ bloat_bytes: bytes }) => bytes),
];

/** All gauges of one scrape share a look, and so do scrapes that come close together. */
export function observePostgres(db: Database, registry: Registry, log: Pick<LineLog, 'warn'>): void {
  let kept: { readonly look: Promise<PostgresMetrics | null>; readonly until: number } | null = null;
  const look = (): Promise<PostgresMetrics | null> => {
    if (kept === null || kept.until <= performance.now()) {
      const reading = db.inSystem(readPostgresMetrics).catch((error: unknown) => {
        warnUnread(log, error, 'The metrics of PostgreSQL');
        return null;
      });
      kept = { look: reading, until: performance.now() + KEPT_MILLISECONDS };
    }
    return kept.look;
  };
  for (const { name, help, labels = [], series } of GAUGES)
    new Gauge({
      name: `prefixcast_postgres_${name}`,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const metrics = await look();
        this.reset();
        for (const [of, value] of metrics === null ? [] : series(metrics))
          if (value === null || value === undefined) this.remove(of);
          else this.set(of, value);
      },
    });
}
