import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { text } from '../../strings/english.ts';
import { Loaded, type Read } from '../page/Loaded.tsx';
import { DataTable, type DataTableProps } from '../tables/DataTable.tsx';
import type { AllRows } from '../tables/SaveRows.tsx';
import type { UnreadRows } from '../tables/Unread.tsx';

interface ListProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  readonly query: Read<readonly Row[]>;
  /** Where there is none. */
  readonly empty: ReactNode;
}

/** The table of a list, or what the list is for. */
export function List<Row>({ query, empty, ...table }: ListProps<Row>) {
  return (
    <Loaded query={query}>
      {(rows) => (rows.length === 0 ? empty : <DataTable {...table} rows={rows} />)}
    </Loaded>
  );
}

type Pages<Row> = UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Row[] }>>;

interface PagedListProps<Row> extends Omit<ListProps<Row>, 'query'> {
  readonly query: Pages<Row>;
}

/** The same of a list that is read page by page. */
export function PagedList<Row>({ query, empty, ...table }: PagedListProps<Row>) {
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items);
        if (rows.length === 0) return empty;
        return (
          <>
            <DataTable {...table} rows={rows} unread={unreadOf(query)} />
            <More query={query} />
          </>
        );
      }}
    </Loaded>
  );
}

export function unreadOf<Row>(query: Pages<Row>): UnreadRows<Row> {
  return {
    ...{ hasMore: query.hasNextPage, isReading: query.isFetching, hasFailed: query.isFetchNextPageError },
    readNext: () => void query.fetchNextPage(),
    readAll: () => readAll(query),
  };
}

/** More make the page slow, and take long to read. */
const MOST_ROWS = 20_000;

/** Reads the pages of a list that are not there yet. */
async function readAll<Row>(query: Pages<Row>): Promise<AllRows<Row>> {
  let read: Pages<Row> = query;
  const rowsOf = ({ data }: Pages<Row>): Row[] => (data?.pages ?? []).flatMap(({ items }) => items);
  while (read.hasNextPage && rowsOf(read).length < MOST_ROWS) {
    read = await read.fetchNextPage();
    if (read.error !== null) throw read.error;
  }
  return { rows: rowsOf(read), isCut: read.hasNextPage };
}

interface MoreProps {
  readonly query: Pick<Pages<unknown>, 'hasNextPage' | 'isFetchingNextPage'> & { fetchNextPage(): unknown };
}

/** The next page of a list, if there is one. */
export function More({ query }: MoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {text.showMore}
    </Button>
  );
}
