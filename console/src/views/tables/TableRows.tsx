/** The body of a table: of thousands of rows, those near the window are in the page. */
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useRowHeight } from '../../design/behaviour/density.ts';
import type { Column } from './column.ts';
import { RowActions } from './RowAction.tsx';

/** Up to this many rows, a browser draws all without a delay that anybody notices. */
export const MOST_WHOLE_ROWS = 100;
/** Below a row. */
const BORDER = 1;

interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
}

export function TableRows<Row>(props: RowsProps<Row>) {
  const { columns, rows, keyOf, nameOf } = props;
  if (rows.length > MOST_WHOLE_ROWS) return <NearRows {...props} />;
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          <Cells {...{ columns, row, nameOf }} />
        </tr>
      ))}
    </tbody>
  );
}

function NearRows<Row>({ columns, rows, keyOf, nameOf }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<number | null>(null);
  const row = useRowHeight() + BORDER;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => row,
    getItemKey: (index) => keyOf(rows[index]!),
    overscan: 6,
    scrollMargin: top,
    rangeExtractor: (range) => withFocused(range, focused),
  });
  useLayoutEffect(() => virtual.measure(), [virtual, row]);
  useLayoutEffect(() => {
    // What is above the table may have grown.
    setTop(Math.round(body.current!.getBoundingClientRect().top + scrollY));
  });
  const widest = useMemo(() => widestRows(rows, columns), [rows, columns]);
  const items = virtual.getVirtualItems();
  const end = top + virtual.getTotalSize();
  return (
    <tbody ref={body} onFocus={({ target }) => setFocused(indexOf(target))} onBlur={() => setFocused(null)}>
      {/* As one list: in lists of their own, rows would be made again as others come. */}
      {items.flatMap(({ index, key, start }, at) => [
        <Gap
          key={`before ${key}`}
          height={start - (at === 0 ? top : items[at - 1]!.end)}
          columns={columns.length}
        />,
        <tr key={key} ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2}>
          <Cells {...{ columns, row: rows[index]!, nameOf }} />
        </tr>,
      ])}
      <Gap height={end - (items.at(-1)?.end ?? top)} columns={columns.length} />
      {widest.map((row) => (
        // They take no place, but columns are as wide as if all rows were there.
        <tr key={`widest ${keyOf(row)}`} className="is-collapsed" aria-hidden="true">
          <Cells {...{ columns, row, nameOf }} />
        </tr>
      ))}
    </tbody>
  );
}

interface CellsProps<Row> extends Pick<RowsProps<Row>, 'columns' | 'nameOf'> {
  readonly row: Row;
}

function Cells<Row>({ columns, row, nameOf }: CellsProps<Row>) {
  return columns.map(({ name, cell, isNumber, isActions }) => (
    <td key={name} className={isNumber === true ? 'is-number number' : ''}>
      {isActions === true ? <RowActions name={nameOf(row)}>{cell(row)}</RowActions> : cell(row)}
    </td>
  ));
}

/** @param height in pixels, of rows that are not in the page */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} style={{ blockSize: height }} />
    </tr>
  );
}

/** With the row that has the focus, and those that Tab leads to from there, before any scrolling has brought them. */
function withFocused(range: Range, focused: number | null): number[] {
  const near = defaultRangeExtractor(range);
  if (focused === null) return near;
  const around = [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < range.count);
  return [...new Set([...near, ...around])].sort((left, right) => left - right);
}

function indexOf(target: Element): number | null {
  const index = target.closest('tr')?.dataset.index;
  return index === undefined ? null : Number(index);
}

/** Of each column, the row with the longest text in it. */
function widestRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Row[] {
  const widest = columns.map(({ value }) => {
    let [found, longest] = [rows[0], -1];
    for (const row of rows) {
      const { length } = String(value(row));
      if (length > longest) [found, longest] = [row, length];
    }
    return found!;
  });
  return [...new Set(widest)];
}
