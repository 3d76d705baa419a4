import { Link } from '@tanstack/react-router';
import type { Revision } from '../../service/queries.ts';
import { chartText } from '../../strings/charts.ts';
import { formatNumber } from '../../strings/format.ts';
import { colourOf } from '../resources/Community.tsx';
import type { Column } from '../tables/DataTable.tsx';
import { Chart, NoChart } from './Chart.tsx';

const said = chartText.routes;
/** More lines than this are a tangle. */
const MOST_LINES = 6;

/** Routes over revisions, all of them and by community: those that have most, by name. */
export function RouteChart({ revisions }: { revisions: readonly Revision[] }) {
  const built = revisions
    .filter(({ state }) => state === 'ready' || state === 'held')
    .toSorted((left, right) => left.number - right.number);
  const [first, last] = [built[0], built.at(-1)];
  if (first === undefined || last === undefined) return <NoChart title={said.title} why={said.none} />;
  if (first === last)
    return <NoChart title={said.title} why={said.one(first.number, sum(first.prefix_count))} />;
  const communities = mostUsed(built);
  const drawn = communities.slice(0, MOST_LINES);
  const left = communities.length - drawn.length;
  return (
    <Chart
      title={said.title}
      summary={said.summary(first.number, last.number, sum(first.prefix_count), sum(last.prefix_count))}
      kind="lines"
      places={built.map(({ number }) => ({
        ...{ at: number, label: `${said.revision} ${formatNumber(number)}` },
      }))}
      series={[
        {
          ...{ label: said.all, colour: '--text' },
          values: built.map(({ prefix_count }) => sum(prefix_count)),
        },
        ...drawn.map((community) => ({
          ...{ label: community, colour: `--community-${colourOf(community)}` },
          values: built.map((revision) => routesOf(revision, community)),
        })),
      ]}
      isWhole
      format={formatNumber}
      formatPlace={said.place}
      rows={built}
      columns={columnsOf(communities)}
      keyOf={({ id }) => id}
      file="routes-by-revision"
      remark={left > 0 ? said.others(left) : undefined}
    />
  );
}

/** Communities of any of the revisions, those with most routes first. */
function mostUsed(revisions: readonly Revision[]): string[] {
  const most = new Map<string, number>();
  for (const { communities } of revisions)
    for (const { community, prefix_count } of communities)
      most.set(community, Math.max(most.get(community) ?? 0, sum(prefix_count)));
  return [...most].sort(([, one], [, other]) => other - one).map(([community]) => community);
}

function routesOf({ communities }: Revision, wanted: string): number {
  return communities
    .filter(({ community }) => community === wanted)
    .reduce((total, { prefix_count }) => total + sum(prefix_count), 0);
}

function sum({ ipv4, ipv6 }: Revision['prefix_count']): number {
  return ipv4 + ipv6;
}

function columnsOf(communities: readonly string[]): Column<Revision>[] {
  return [
    {
      name: said.revision,
      value: ({ number }) => number,
      cell: ({ number }) => (
        <Link to="/revisions/$revision" params={{ revision: String(number) }}>
          {formatNumber(number)}
        </Link>
      ),
    },
    {
      ...{ name: said.all, isNumber: true },
      value: ({ prefix_count }) => sum(prefix_count),
      cell: ({ prefix_count }) => formatNumber(sum(prefix_count)),
    },
    ...communities.map((community): Column<Revision> => ({
      ...{ name: community, isNumber: true },
      value: (revision) => routesOf(revision, community),
      cell: (revision) => formatNumber(routesOf(revision, community)),
    })),
  ];
}
