import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Time } from '../../design/shown/Time.tsx';
import { appliesQuery, type Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { ApplyDurations, secondsOf } from '../../views/charts/ApplyDurations.tsx';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { durationColumn, partColumn } from '../../views/tables/shared-columns.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { ResourceLink } from '../../views/resources/ResourceLink.tsx';
import { useResourceNames } from '../../views/resources/resource-names.ts';
import { jobState, JobState } from '../../views/resources/StateBadges.tsx';
import { statesOfResult } from './speaker-states.ts';

const COLUMNS: readonly Column<Job>[] = [
  {
    name: text.applies.startedAt,
    value: ({ created_at }) => created_at,
    cell: ({ id, created_at }) => (
      <Link to="/applies/$jobId" params={{ jobId: id }}>
        <Time at={created_at} />
      </Link>
    ),
  },
  {
    name: text.applies.state,
    value: (job) => jobState(job).word,
    cell: (job) => <JobState job={job} />,
  },
  {
    name: text.applies.revision,
    value: ({ resource }) => resource?.id ?? '',
    // One of no revision brings a router that was changed what its speaker runs.
    cell: ({ resource }) =>
      resource !== null && <ResourceLink type={resource.type} id={resource.id} name={null} />,
  },
  partColumn(text.applies.routers, routersOf),
  durationColumn(text.applies.took, secondsOf),
  {
    name: text.applies.asked,
    value: ({ requested_by }) => requested_by ?? '',
    cell: ({ requested_by }) => <span className="name">{requested_by}</span>,
  },
];

/** How many routers have the revision; null: it has not ended, or nothing reports them. */
function routersOf(job: Job): { have: number; all: number } | null {
  const peers = statesOfResult(job).flatMap((state) => state.peers);
  if (peers.length === 0) return null;
  return { have: peers.filter(({ status }) => status === 'applied').length, all: peers.length };
}

export function Applies() {
  const { nameOf } = useResourceNames();
  const columns = COLUMNS.map((column) =>
    column.name === text.applies.revision
      ? { ...column, value: ({ resource }: Job) => nameOf(resource) }
      : column,
  );
  return (
    <Page title={text.applies.title}>
      <Loaded query={useQuery(appliesQuery)}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyWithLink
              title={text.applies.emptyTitle}
              what={text.applies.emptyWhat}
              to="revisions"
              command={text.applies.emptyCommand}
            />
          ) : (
            <>
              <ApplyDurations applies={items} />
              <DataTable
                caption={text.applies.title}
                columns={columns}
                rows={items}
                keyOf={({ id }) => id}
                file="applies"
              />
              <Link to="/jobs" search={{ type: 'apply' }}>
                {text.applies.older}
              </Link>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
