import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Time } from '../../design/shown/Time.tsx';
import { jobsQuery, type JobFilter } from '../../service/operations.ts';
import type { Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { jobsText } from '../../strings/operations.ts';
import type { Column } from '../../views/tables/column.ts';
import { durationColumn } from '../../views/tables/shared-columns.tsx';
import { useServiceOrder } from '../../views/tables/table-state.ts';
import { FilterSelect } from '../../views/tables/FilterSelect.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { PagedList } from '../../views/records/List.tsx';
import { Page } from '../../views/page/Page.tsx';
import { useResourceNames } from '../../views/resources/resource-names.ts';
import { jobState, JobState } from '../../views/resources/StateBadges.tsx';
import { JobSubject, secondsOf, subjectOf } from './job-parts.tsx';

const route = getRouteApi('/jobs');

const COLUMNS: readonly Column<Job>[] = [
  {
    name: jobsText.type,
    value: ({ type }) => jobsText.types[type],
    cell: ({ id, type }) => (
      <Link to="/jobs/$jobId" params={{ jobId: id }}>
        {jobsText.types[type]}
      </Link>
    ),
  },
  {
    name: jobsText.state,
    value: (job) => jobState(job).word,
    cell: (job) => <JobState job={job} />,
  },
  {
    name: jobsText.about,
    value: ({ resource }) => resource?.id ?? '',
    cell: (job) => <JobSubject job={job} />,
  },
  {
    name: jobsText.asked,
    value: ({ requested_by }) => requested_by ?? '',
    cell: ({ requested_by }) => <span className="name">{requested_by}</span>,
  },
  {
    ...{ name: jobsText.queued, sort: 'queued_at' },
    value: ({ queued_at }) => queued_at,
    cell: ({ queued_at }) => <Time at={queued_at} />,
  },
  durationColumn(jobsText.took, secondsOf),
];

export function Jobs() {
  const { type, state, resource_id } = route.useSearch();
  const filter = {
    ...(type === undefined ? {} : { type }),
    ...(state === undefined ? {} : { state }),
    ...(resource_id === undefined ? {} : { resource_id }),
  };
  const sort = useServiceOrder(COLUMNS) as JobFilter['sort'];
  const { nameOf, readNames } = useResourceNames();
  const columns = COLUMNS.map((column) =>
    column.name === jobsText.about
      ? {
          ...column,
          value: (job: Job) =>
            subjectOf(job) === null && job.type === 'apply' ? jobsText.waves : nameOf(subjectOf(job)),
          prepare: (rows: readonly Job[]) => readNames(rows.map(subjectOf)),
        }
      : column,
  );
  const jobs = useInfiniteQuery({
    ...jobsQuery({ ...filter, ...(sort === undefined ? {} : { sort }) }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={jobsText.title}
      actions={
        <>
          <FilterSelect
            label={jobsText.filterType}
            name="type"
            value={filter.type}
            all={jobsText.allTypes}
            choices={Object.entries(jobsText.types).map(([value, label]) => ({ value, label }))}
          />
          <FilterSelect
            label={jobsText.filterState}
            name="state"
            value={filter.state}
            all={jobsText.allStates}
            choices={Object.entries(text.applies.jobStates).map(([value, label]) => ({ value, label }))}
          />
        </>
      }
    >
      {filter.resource_id !== undefined && (
        <p className="muted">
          {jobsText.onlyAbout}{' '}
          <Link to="/jobs" search={{}}>
            {jobsText.showAll}
          </Link>
        </p>
      )}
      <PagedList
        query={jobs}
        caption={jobsText.title}
        columns={columns}
        keyOf={({ id }) => id}
        file="jobs"
        empty={
          <EmptyWithLink
            title={jobsText.emptyTitle}
            what={jobsText.empty}
            to="modules"
            command={jobsText.command}
          />
        }
      />
    </Page>
  );
}
