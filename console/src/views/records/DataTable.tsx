import { useState, type ReactNode } from 'react';
import { Button } from '../../design/Button.tsx';
import { text } from '../../strings/english.ts';
import { downloadCsv } from './csv.ts';
import './data-table.css';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** What it is sorted, filtered and exported by. */
  readonly value: (row: Row) => string | number;
  readonly isNumber?: boolean;
  /** Of buttons: nothing to sort by, and nothing to export. */
  readonly isActions?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Name of the file that it is exported to; without, nothing is offered. */
  readonly file?: string;
  /** Beside the filter. */
  readonly tools?: ReactNode;
}

interface Order {
  readonly column: number;
  readonly isDescending: boolean;
}

/** Rows past this come when they are asked for: a browser lays out a thousand at once, and not ten thousand. */
const SHOWN_ROWS = 500;

export function DataTable<Row>({ caption, columns, rows, keyOf, file, tools }: DataTableProps<Row>) {
  const [order, setOrder] = useState<Order | null>(null);
  const [filter, setFilter] = useState('');
  const [shown, setShown] = useState(SHOWN_ROWS);
  const found = sorted(filtered(rows, columns, filter), columns, order);
  const exported = columns.filter(({ isActions }) => isActions !== true);
  return (
    <div className="data-table">
      {file !== undefined && (
        <div className="table-tools">
          <input
            className="input"
            type="search"
            aria-label={`${text.filter}: ${caption}`}
            placeholder={text.filter}
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
          <Button title={text.exportCsv} onClick={() => downloadCsv(file, exported, found)}>
            {text.csv}
          </Button>
          {tools}
        </div>
      )}
      <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {exported.map(({ name, isNumber }, column) => (
                <th
                  key={name}
                  scope="col"
                  className={isNumber === true ? 'is-number' : ''}
                  aria-sort={ariaSort(order, column)}
                >
                  <button type="button" onClick={() => setOrder(next(order, column))}>
                    {name}
                    <span aria-hidden="true">{arrow(order, column)}</span>
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
          <tbody>
            {found.slice(0, shown).map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, cell, isNumber }) => (
                  <td key={name} className={isNumber === true ? 'is-number number' : ''}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && filter !== '' && <p className="muted">{text.noRowMatches(filter)}</p>}
      {found.length > shown && <Button onClick={() => setShown(shown + SHOWN_ROWS)}>{text.showMore}</Button>}
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
  return rows.filter((row) => columns.some(({ value }) => String(value(row)).toLowerCase().includes(wanted)));
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
): readonly Row[] {
  if (order === null) return rows;
  const { value } = columns[order.column]!;
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((left, right) => {
    const [a, b] = [value(left), value(right)];
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)))
    );
  });
}

/** Upwards, downwards, then as it came. */
function next(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, isDescending: false };
  return order.isDescending ? null : { column, isDescending: true };
}

function ariaSort(order: Order | null, column: number): 'ascending' | 'descending' | 'none' {
  if (order?.column !== column) return 'none';
  return order.isDescending ? 'descending' : 'ascending';
}

function arrow(order: Order | null, column: number): string {
  if (order?.column !== column) return '';
  return order.isDescending ? ' ↓' : ' ↑';
}
