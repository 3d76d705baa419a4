import { lazy, Suspense, useState } from 'react';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { chartText } from '../../strings/charts.ts';
import { SideTable, type Column } from '../records/DataTable.tsx';
import { dashOf, type Drawing, type Series } from './drawing.ts';
import './chart.css';

const Plot = lazy(() => import('./Plot.tsx'));

interface ChartProps<Row> extends Drawing {
  readonly title: string;
  /** What it shows, in a sentence. */
  readonly summary: string;
  /** What is drawn, and the same to read and to export. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly file: string;
  readonly remark?: string | undefined;
}

/** A picture of figures, with what it says in a sentence above it, and the figures themselves as a table below it. */
export function Chart<Row>(props: ChartProps<Row>) {
  const { title, summary, rows, columns, keyOf, file, remark, ...drawing } = props;
  const [point, setPoint] = useState<number | null>(null);
  return (
    <figure className="chart">
      <figcaption>
        <h2>{title}</h2>
        <p className="muted">{summary}</p>
      </figcaption>
      <Suspense fallback={<Skeleton lines={5} />}>
        <Plot {...drawing} onPoint={setPoint} />
      </Suspense>
      <ul className="chart-legend">
        {drawing.series.map(({ label, colour, values, shown = values }, at) => (
          <li key={label}>
            <Swatch kind={drawing.kind} colour={colour} series={at} />
            <span className="name">{label}</span>
            {point !== null && <span className="number"> {formatAt(shown[point], drawing)}</span>}
          </li>
        ))}
        {point !== null && drawing.places[point] !== undefined && (
          <li className="muted">{drawing.places[point].label}</li>
        )}
      </ul>
      {remark !== undefined && <p className="muted">{remark}</p>}
      <details>
        <summary>{chartText.figures}</summary>
        <SideTable caption={title} columns={columns} rows={rows} keyOf={keyOf} file={file} />
      </details>
    </figure>
  );
}

/** A piece of how a series is drawn. */
function Swatch({
  kind,
  colour,
  series,
}: {
  kind: Drawing['kind'];
  colour: Series['colour'];
  series: number;
}) {
  const [width, size] = kind === 'lines' ? [24, 2] : [10, 10];
  return (
    <svg className="swatch" width={width} height="10" aria-hidden="true" style={{ stroke: `var(${colour})` }}>
      <line
        x2={width}
        y1="5"
        y2="5"
        strokeWidth={size}
        strokeDasharray={dashOf(kind === 'lines' ? series : 0).join(' ')}
      />
    </svg>
  );
}

function formatAt(value: number | null | undefined, { format }: Drawing): string {
  return value === null || value === undefined ? chartText.nothing : format(value);
}

/** Where there is nothing to draw. */
export function NoChart({ title, why }: { title: string; why: string }) {
  return (
    <figure className="chart">
      <figcaption>
        <h2>{title}</h2>
        <p className="muted">{why}</p>
      </figcaption>
    </figure>
  );
}
