import { useEffect, useRef } from 'react';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import type { AllRows } from './SaveRows.tsx';

/** Of a list that is read page by page: the rows that are not there yet. */
export interface UnreadRows<Row> {
  /** There is a page after those that were read. */
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly hasFailed: boolean;
  readonly readNext: () => void;
  readonly readAll: () => Promise<AllRows<Row>>;
}

/** So many rows are read for a filter, or for an order that the service has not. */
const MOST_ROWS = 5_000;

interface UnreadProps {
  readonly rows: number;
  readonly unread: Pick<UnreadRows<unknown>, 'hasMore' | 'isReading' | 'hasFailed' | 'readNext'>;
}

/** What is filtered, or sorted here, is to be all of a list: it is read on, and what is still not covered is said. */
export function Unread({ rows, unread: { hasMore, isReading, hasFailed, readNext } }: UnreadProps) {
  const isDue = hasMore && !isReading && !hasFailed && rows < MOST_ROWS;
  const read = useRef(readNext);
  useEffect(() => {
    read.current = readNext;
  });
  useEffect(() => {
    if (isDue) read.current();
  }, [isDue, rows]);
  if (!hasMore) return null;
  return (
    <p className="muted" role="status">
      {rows < MOST_ROWS && !hasFailed ? text.readingRows : text.rowsCovered(formatNumber(rows))}
    </p>
  );
}
