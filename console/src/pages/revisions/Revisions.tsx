import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { revisionsQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { RouteChart } from '../../views/charts/RouteChart.tsx';
import { EmptyWithLink } from '../../views/EmptyWithLink.tsx';
import { Loaded } from '../../views/Loaded.tsx';
import { More } from '../../views/records/List.tsx';
import { Page } from '../../views/Page.tsx';
import { TimeRange } from '../../views/records/TimeRange.tsx';
import { RevisionTable } from './RevisionTable.tsx';

const route = getRouteApi('/revisions');

export function Revisions() {
  const { since, until } = route.useSearch();
  const isFiltered = since !== undefined || until !== undefined;
  const revisions = useInfiniteQuery(
    revisionsQuery({ ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }),
  );
  const read = revisions.data?.pages;
  const items = useMemo(() => (read ?? []).flatMap((page) => page.items), [read]);
  return (
    <Page title={text.revisions.title} actions={<TimeRange since={since} until={until} />}>
      <Loaded query={revisions}>
        {() => {
          if (items.length === 0 && isFiltered) return <p>{revisionTableText.noneThen}</p>;
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
              <RouteChart revisions={items} />
              <RevisionTable revisions={items} />
              <More query={revisions} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
