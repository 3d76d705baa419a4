import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Moment } from '../../design/shown/Time.tsx';
import { revisionsQuery, type RevisionFilter } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { RouteChart } from '../../views/charts/RouteChart.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { More, unreadOf } from '../../views/records/List.tsx';
import { Page } from '../../views/page/Page.tsx';
import { TimeRange } from '../../views/tables/TimeRange.tsx';
import { useServiceOrder } from '../../views/tables/table-state.ts';
import { ORDERED_COLUMNS, RevisionTable } from './RevisionTable.tsx';

const route = getRouteApi('/revisions');

export function Revisions() {
  const { since, until } = route.useSearch();
  const isFiltered = since !== undefined || until !== undefined;
  const sort = useServiceOrder(ORDERED_COLUMNS) as RevisionFilter['sort'];
  const revisions = useInfiniteQuery({
    ...revisionsQuery({
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(sort === undefined ? {} : { sort }),
    }),
    placeholderData: keepPreviousData,
  });
  const read = revisions.data?.pages;
  const items = useMemo(() => (read ?? []).flatMap((page) => page.items), [read]);
  return (
    <Page title={text.revisions.title} actions={<TimeRange since={since} until={until} />}>
      <Loaded query={revisions}>
        {() => {
          if (items.length === 0 && isFiltered)
            return (
              <>
                <p>{revisionTableText.noneThen}</p>
                {since !== undefined && <Before moment={since} />}
              </>
            );
          if (items.length === 0)
            return (
              <EmptyWithLink
                title={text.revisions.emptyTitle}
                what={text.revisions.emptyWhat}
                to="modules"
                command={text.revisions.emptyCommand}
              />
            );
          return (
            <>
              {since !== undefined && <Before moment={since} />}
              <RouteChart revisions={items} />
              <RevisionTable revisions={items} unread={unreadOf(revisions)} />
              <More query={revisions} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** What ran as the times began: on a quiet day nothing is built. */
function Before({ moment }: { moment: string }) {
  const { data } = useInfiniteQuery(revisionsQuery({ until: moment }));
  const applied = (data?.pages[0]?.items ?? []).flatMap(({ id, applied_periods: periods }) =>
    periods.map(({ from, until }) => ({ id, from, until })),
  );
  // An older one that was applied again may have run then.
  const began = Date.parse(moment);
  const then = applied.find(
    ({ from, until }) => Date.parse(from) <= began && (until === null || Date.parse(until) > began),
  );
  const ran = then ?? applied[0];
  if (ran === undefined) return null;
  return (
    <p className="muted">
      {then === undefined ? revisionTableText.before : revisionTableText.ranThen} <RevisionLink id={ran.id} />
      , {revisionTableText.appliedFrom} <Moment at={ran.from} />
    </p>
  );
}
