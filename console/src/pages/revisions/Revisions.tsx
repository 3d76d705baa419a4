import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { revisionsQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { RouteChart } from '../../views/charts/RouteChart.tsx';
import { Loaded } from '../../views/Loaded.tsx';
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
              <Empty
                title={text.revisions.emptyTitle}
                what={text.revisions.emptyWhat}
                action={
                  <Link className="button" to="/modules">
                    {text.navigation.modules}
                  </Link>
                }
                command={text.revisions.emptyCommand}
              />
            );
          return (
            <>
              <RouteChart revisions={items} />
              <RevisionTable revisions={items} />
              {revisions.hasNextPage && (
                <Button isBusy={revisions.isFetchingNextPage} onClick={() => void revisions.fetchNextPage()}>
                  {text.showMore}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
