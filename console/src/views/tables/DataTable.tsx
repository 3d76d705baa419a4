import { useCallback, useMemo, useRef, type ReactNode } from 'react';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { text } from '../../strings/english.ts';
import { compareTexts } from '../../strings/format.ts';
import { savedColumns, type Column } from './column.ts';
import { RowKeys } from './RowKeys.tsx';
import { SaveRows } from './SaveRows.tsx';
import { useAddressedState, useOwnState, type Order, type TableState } from './table-state.ts';
import { MOST_WHOLE_ROWS, TableRows } from './TableRows.tsx';
import { Unread, type UnreadRows } from './Unread.tsx';
import './data-table.css';

export type { Column } from './column.ts';

export interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What a row is called, by its buttons as well; default: what its first column has. */
  readonly nameOf?: ((row: Row) => string) | undefined;
  /** Name of the file that it is exported to. */
  readonly file: string;
  /** False: the page asks the service, which has more rows. */
  readonly hasFilter?: boolean;
  /** Where `rows` are those of the pages that were read so far. */
  readonly unread?: UnreadRows<Row>;
  /** Beside the filter. */
  readonly tools?: ReactNode;
  /** False: `j` and `k` are for something else on the page. */
  readonly hasRowKeys?: boolean;
}

/** The table of a page: its filter and its order are in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return <StatedTable hasRowKeys {...props} state={useAddressedState()} />;
}

/** One of several tables of a page. */
export function SideTable<Row>(props: DataTableProps<Row>) {
  return <StatedTable {...props} state={useOwnState()} />;
}

interface StatedTableProps<Row> extends DataTableProps<Row> {
  readonly state: TableState;
}

function StatedTable<Row>(props: StatedTableProps<Row>) {
  const { caption, columns, rows, keyOf, file, hasFilter = true, tools, state, hasRowKeys = false } = props;
  const { unread, nameOf = (row: Row) => String(columns[0]!.value(row)) } = props;
  const readAll = unread?.readAll ?? (() => Promise.resolve({ rows, isCut: false }));
  const table = useRef<HTMLTableElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useShortcut('f', text.filterRows, hasFilter && hasRowKeys ? () => field.current?.focus() : null);
  const { filter, setFilter, order, setOrder } = state;
  const { name: by, isDescending = false } = order ?? {};
  const arrange = useCallback(
    (all: readonly Row[]) => sorted(filtered(all, columns, filter), columns, by, isDescending),
    [columns, filter, by, isDescending],
  );
  const found = useMemo(() => arrange(rows), [arrange, rows]);
  const isSortedHere = columns.some(({ name, sort }) => name === by && sort === undefined);
  const exported = columns.filter(({ isActions }) => isActions !== true);
  return (
    <div className="data-table">
      <div className="table-tools">
        {hasFilter && (
          <input
            ref={field}
            className="input"
            type="search"
            aria-label={`${text.filter}: ${caption}`}
            placeholder={text.filter}
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
        )}
        <SaveRows file={file} columns={exported} arrange={arrange} readAll={readAll} />
        {tools}
      </div>
      {unread !== undefined && (filter !== '' || isSortedHere) && (
        <Unread rows={rows.length} unread={unread} />
      )}
      <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table ref={table} {...(found.length > MOST_WHOLE_ROWS ? { 'aria-rowcount': found.length + 1 } : {})}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {exported.map(({ name, isNumber }) => (
                <th
                  key={name}
                  scope="col"
                  className={isNumber === true ? 'is-number' : ''}
                  aria-sort={ariaSort(order, name)}
                >
                  <button type="button" onClick={() => setOrder(next(order, name))}>
                    {name}
                    <span aria-hidden="true">{arrow(order, name)}</span>
                  </button>
                </th>
              ))}
              {exported.length < columns.length && (
                <td className="row-actions-head">
                  <span className="visually-hidden">{columns.at(-1)!.name}</span>
                </td>
              )}
            </tr>
          </thead>
          <TableRows {...{ columns, rows: found, keyOf, nameOf }} />
        </table>
      </div>
      {hasRowKeys && <RowKeys table={table} />}
      {found.length === 0 && filter !== '' && <p className="muted">{text.noRowMatches(filter)}</p>}
    </div>
  );
}

function filtered<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filter: string,
): readonly Row[] {
  if (filter === '') return rows;
  const wanted = filter.toLowerCase();
  const read = columns.flatMap((column) => [column, ...savedColumns(column)]);
  return rows.filter((row) => read.some(({ value }) => String(value(row)).toLowerCase().includes(wanted)));
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  by: string | undefined,
  isDescending: boolean,
): readonly Row[] {
  // Whatever an address says.
  const column = columns.find(({ name }) => name === by);
  if (column === undefined) return rows;
  const { value } = column;
  const sign = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, at: value(row) }))
    .sort(
      ({ at: a }, { at: b }) =>
        sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b))),
    )
    .map(({ row }) => row);
}

/** Upwards, downwards, then as it came. */
function next(order: Order | null, name: string): Order | null {
  if (order?.name !== name) return { name, isDescending: false };
  return order.isDescending ? null : { name, isDescending: true };
}

function ariaSort(order: Order | null, name: string): 'ascending' | 'descending' | 'none' {
  if (order?.name !== name) return 'none';
  return order.isDescending ? 'descending' : 'ascending';
}

function arrow(order: Order | null, name: string): string {
  if (order?.name !== name) return '';
  return order.isDescending ? ' ↓' : ' ↑';
}
