import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../design/Button.tsx';
import { Empty } from '../../design/Empty.tsx';
import { revisionsQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { RouteChart } from '../../views/charts/RouteChart.tsx';
import { Loaded } from '../../views/Loaded.tsx';
import { Page } from '../../views/Page.tsx';
import { RevisionLog } from '../../views/revisions/RevisionLog.tsx';

export function Revisions() {
  const revisions = useInfiniteQuery(revisionsQuery());
  return (
    <Page title={text.revisions.title}>
      <Loaded query={revisions}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return (
              <Empty
                title={text.revisions.emptyTitle}
                what={text.revisions.emptyWhat}
                command={text.revisions.emptyCommand}
              />
            );
          return (
            <>
              <RouteChart revisions={items} />
              <RevisionLog revisions={items} />
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
