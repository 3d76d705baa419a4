import { lazy, Suspense, useState } from 'react';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { chartText } from '../../strings/charts.ts';
import { SideTable, type Column } from '../tables/DataTable.tsx';
import { dashOf, type Drawing, type Pattern, PATTERNS, type Series } from './drawing.ts';
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
        {drawing.series.map(({ label, colour, pattern, values, shown = values }, at) => (
          <li key={label}>
            {drawing.kind === 'lines' ? (
              <LineSwatch colour={colour} series={at} />
            ) : (
              <BarSwatch colour={colour} pattern={pattern} />
            )}
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
function LineSwatch({ colour, series }: { colour: Series['colour']; series: number }) {
  return (
    <svg className="swatch" width="24" height="10" aria-hidden="true" style={{ stroke: `var(${colour})` }}>
      <line x2="24" y1="5" y2="5" strokeWidth="2" strokeDasharray={dashOf(series).join(' ')} />
    </svg>
  );
}

function BarSwatch({ colour, pattern }: { colour: Series['colour']; pattern: Pattern | undefined }) {
  return (
    <svg className="swatch" width="12" height="12" aria-hidden="true" style={{ stroke: `var(${colour})` }}>
      {pattern === undefined ? (
        <path d="M0 6h12" strokeWidth="12" />
      ) : (
        <path d={`M1 1h10v10H1z${PATTERNS[pattern]}`} strokeWidth="2" fill="none" />
      )}
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
