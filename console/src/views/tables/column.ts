import type { ReactNode } from 'react';

type Value<Row> = (row: Row) => string | number;

/** Of a table of records. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** What it is sorted by; and where `saved` says nothing else, filtered and exported by. */
  readonly value: Value<Row>;
  /** What a file has in its place, by heading, where the table says more than the value: words, `1 of 3`, both families, or a number with its unit. */
  readonly saved?: Readonly<Record<string, Value<Row>>>;
  /** What has to be read before rows are saved that are not in the page. */
  readonly prepare?: (rows: readonly Row[]) => Promise<void>;
  /** The order by it as the service calls it, where it sorts a list that is read page by page. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** Of a `RowAction` each: nothing to sort by, and nothing to export. */
  readonly isActions?: boolean;
}

/** What a file has of a column: its heading, and the value of each row. */
export function savedColumns<Row>({
  name,
  value,
  saved = { [name]: value },
}: Column<Row>): readonly SavedColumn<Row>[] {
  return Object.entries(saved).map(([heading, valueOf]) => ({ name: heading, value: valueOf }));
}

interface SavedColumn<Row> {
  readonly name: string;
  readonly value: Value<Row>;
}
