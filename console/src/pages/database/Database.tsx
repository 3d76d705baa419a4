import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Time } from '../../design/shown/Time.tsx';
import { databaseQuery } from '../../service/host.ts';
import { text } from '../../strings/english.ts';
import { formatBytes, formatDuration, formatNumber, formatShare } from '../../strings/format.ts';
import { databaseText } from '../../strings/host.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { Figures } from '../../design/shown/Figures.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page, Section } from '../../views/page/Page.tsx';

type Metrics = Schemas['PostgresMetrics'];
type Table = NonNullable<Metrics['tables']>[number];

const COLUMNS: readonly Column<Table>[] = [
  { name: databaseText.table, value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  {
    ...{ name: databaseText.size, isNumber: true },
    value: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    ...{ name: databaseText.rows, isNumber: true },
    value: ({ rows }) => rows,
    cell: ({ rows }) => formatNumber(rows),
  },
  {
    ...{ name: databaseText.dead, isNumber: true },
    value: ({ dead_rows }) => dead_rows,
    cell: ({ dead_rows }) => formatNumber(dead_rows),
  },
  {
    ...{ name: databaseText.bloat, isNumber: true },
    value: ({ bloat_bytes }) => bloat_bytes ?? 0,
    cell: ({ bloat_bytes }) => (bloat_bytes === null ? '' : formatBytes(bloat_bytes)),
  },
  {
    name: databaseText.vacuumed,
    value: ({ last_vacuum_at }) => last_vacuum_at ?? '',
    cell: ({ last_vacuum_at: at }) =>
      at === null ? <span className="muted">{text.never}</span> : <Time at={at} />,
  },
];

export function Database() {
  return (
    <Page title={databaseText.title}>
      <Loaded query={useQuery(databaseQuery)}>
        {(metrics) => (
          <>
            <Figures label={databaseText.title} figures={figuresOf(metrics)} />
            {metrics.unavailable.length > 0 && (
              <ul className="muted">
                {metrics.unavailable.map(({ member, reason }) => (
                  <li key={member}>
                    {databaseText.unavailable}: <code>{member}</code>. {reason}
                  </li>
                ))}
              </ul>
            )}
            {metrics.tables !== null && (
              <Section title={databaseText.tables}>
                <DataTable
                  caption={databaseText.tables}
                  columns={COLUMNS}
                  rows={metrics.tables}
                  keyOf={({ name }) => name}
                  file="tables"
                />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What can be said; what the user of the database may not see is left out. */
function figuresOf(metrics: Metrics): (readonly [string, string])[] {
  const { database, server, connections, transactions, waiting_locks } = metrics;
  const ratio = database?.cache_hit_ratio ?? null;
  const figures: readonly (readonly [string, string | null])[] = [
    [databaseText.size, database && formatBytes(database.bytes)],
    [
      databaseText.connections,
      connections && databaseText.connectionsOf(connections.total, connections.limit),
    ],
    [databaseText.hits, ratio === null ? null : formatShare(ratio)],
    [databaseText.oldest, transactions && formatDuration(Math.round(transactions.oldest_seconds ?? 0))],
    [databaseText.waiting, waiting_locks && formatNumber(waiting_locks.length)],
    [databaseText.version, server?.version ?? null],
  ];
  return figures.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
