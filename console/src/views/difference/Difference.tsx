import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { DiffSummary, RevisionChange } from '../../service/queries.ts';
import { mapText } from '../../strings/map.ts';
import { ChangeCounts } from './Counts.tsx';
import { DiffRows } from './DiffRows.tsx';
import { Loaded } from '../page/Loaded.tsx';
import { Section } from '../page/Page.tsx';

interface DiffPage {
  readonly summary: DiffSummary;
  readonly items: readonly RevisionChange[];
}

interface DifferenceProps {
  readonly title: string;
  /** Its pages. */
  readonly query: UseInfiniteQueryResult<InfiniteData<DiffPage>>;
  /** Called with the route that is selected. */
  readonly onSelect?: (prefix: string) => void;
  /** Said where none of those that differ is of the part that is looked at. */
  readonly none?: string;
}

/** As many as nobody walks through, and a browser holds with ease: what is beyond is found by its part of the addresses. */
const MOST_ROWS = 100_000;
const NO_PAGES: readonly DiffPage[] = [];

/** Routes that differ, read further as somebody scrolls. */
export function Difference({ title, query, onSelect, none }: DifferenceProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const read = query.data?.pages ?? NO_PAGES;
  const rows = useMemo(() => read.flatMap(({ items }) => items), [read]);
  const isFull = rows.length >= MOST_ROWS;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFull) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFull, fetchNextPage]);
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <Section title={title} aside={<ChangeCounts summary={pages[0]!.summary} />}>
          {none !== undefined && rows.length === 0 && !hasNextPage ? (
            <p className="muted">{none}</p>
          ) : (
            <DiffRows
              label={title}
              summary={pages[0]!.summary}
              rows={rows}
              onEnd={readMore}
              onSelect={onSelect}
            />
          )}
          {hasNextPage && isFull && <p className="muted">{mapText.listed(rows.length)}</p>}
        </Section>
      )}
    </Loaded>
  );
}
