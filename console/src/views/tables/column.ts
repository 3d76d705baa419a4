import type { ReactNode } from 'react';

/** Of a table of records. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** What it is sorted, filtered and exported by. */
  readonly value: (row: Row) => string | number;
  readonly isNumber?: boolean;
  /** Of buttons: nothing to sort by, and nothing to export. */
  readonly isActions?: boolean;
}
