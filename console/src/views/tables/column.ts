import type { ReactNode } from 'react';

/** Of a table of records. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** What it is sorted, filtered and exported by. */
  readonly value: (row: Row) => string | number;
  /** The order by it as the service calls it, where it sorts a list that is read page by page. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** Of buttons: nothing to sort by, and nothing to export. */
  readonly isActions?: boolean;
}
