import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { databaseQuery } from '../../service/host.ts';
import { formatBytes, formatDuration, formatNumber, formatShare } from '../../strings/format.ts';
import { databaseText } from '../../strings/host.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { bytesColumn, timeColumn } from '../../views/tables/shared-columns.tsx';
import { Figures } from '../../design/shown/Figures.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page, Section } from '../../views/page/Page.tsx';

type Metrics = Schemas['PostgresMetrics'];
type Table = NonNullable<Metrics['tables']>[number];

const COLUMNS: readonly Column<Table>[] = [
  { name: databaseText.table, value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  bytesColumn(databaseText.size, ({ bytes }) => bytes),
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
  bytesColumn(databaseText.bloat, ({ bloat_bytes }) => bloat_bytes),
  timeColumn(databaseText.vacuumed, ({ last_vacuum_at }) => last_vacuum_at),
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
