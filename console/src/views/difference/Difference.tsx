import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { DiffSummary, RevisionChange } from '../../service/queries.ts';
import { ChangeCounts } from './Counts.tsx';
import { DiffRows } from './DiffRows.tsx';
import { Loaded } from '../Loaded.tsx';
import { Section } from '../Page.tsx';

interface DiffPage {
  readonly summary: DiffSummary;
  readonly items: readonly RevisionChange[];
}

interface DifferenceProps {
  readonly title: string;
  /** Its pages. */
  readonly query: UseInfiniteQueryResult<InfiniteData<DiffPage>>;
  /** Told of the route that is selected. */
  readonly onSelect?: (prefix: string) => void;
}

/** Every route that differs, read further as somebody scrolls. */
export function Difference({ title, query, onSelect }: DifferenceProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <Section title={title} aside={<ChangeCounts summary={pages[0]!.summary} />}>
          <DiffRows
            label={title}
            summary={pages[0]!.summary}
            rows={pages.flatMap(({ items }) => items)}
            onEnd={readMore}
            onSelect={onSelect}
          />
        </Section>
      )}
    </Loaded>
  );
}
