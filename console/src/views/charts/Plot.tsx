/** The only file that knows the library, which is loaded with the first chart that has something to draw. */
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { dashOf, type Drawing, type Pattern, PATTERNS } from './drawing.ts';
import 'uplot/dist/uPlot.min.css';

interface PlotProps extends Drawing {
  /** The place below the pointer; null: it is elsewhere. */
  readonly onPoint: (place: number | null) => void;
}

const HEIGHT = 150;
const LABEL_HEIGHT = 28;
const AXIS_WIDTH = 64;
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 9 }, (_, power) => digit * 10 ** power))
  .sort((left, right) => left - right);
/** Of a label below a bar, in pixels of CSS; with less room, its unit stands below its number. */
const LABEL_WIDTH = 64;
const WRAPPED_WIDTH = 34;
const WRAPPED_HEIGHT = 42;
const BAR_SHARE = 0.7;
const WIDEST_BAR = 48;
const HEADROOM = 1.1;

/** A canvas, which nobody but eyes can read: the figures stand beside it. */
export default function Plot(props: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const theme = useThemeChanges();
  useEffect(() => {
    latest.current = props;
  });
  const drawing = JSON.stringify([props.kind, props.places, props.series]);
  useEffect(() => {
    const element = frame.current!;
    const plot = new UPlot(optionsOf(latest, element), dataOf(latest.current), element);
    const resizing = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      plot.destroy();
    };
  }, [drawing, theme]);
  return <div className="plot" ref={frame} aria-hidden="true" />;
}

function dataOf({ places, series }: PlotProps): UPlot.AlignedData {
  return [places.map(({ at }) => at), ...series.map(({ values }) => [...values])];
}

function optionsOf(latest: { readonly current: PlotProps }, element: HTMLElement): UPlot.Options {
  const { kind, places, series, isWhole, format } = latest.current;
  const isBars = kind === 'bars';
  const canWrap = places.some(({ label }) => label.includes(' '));
  const isWrapped = isBars && canWrap && element.clientWidth < places.length * LABEL_WIDTH;
  const [muted, line] = ['--muted', '--line'].map((name) => colourOf(element, name)) as [string, string];
  const look = { stroke: muted, font: '11px system-ui, sans-serif', ticks: { stroke: line, width: 1 } };
  return {
    ...{ width: element.clientWidth, height: HEIGHT, legend: { show: false } },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !isBars } },
    scales: {
      x: { time: false, ...(isBars ? { range: [-0.6, places.length - 0.4] } : {}) },
      y: { range: (_plot, _least, most) => [0, most > 0 ? most * HEADROOM : 1] },
    },
    axes: [
      {
        ...look,
        ...{ size: isWrapped ? WRAPPED_HEIGHT : LABEL_HEIGHT, grid: { show: false } },
        ...(isBars ? { splits: () => places.map(({ at }) => at) } : { incrs: WHOLE_STEPS }),
        values: (plot, splits) =>
          isBars
            ? thinned(
                places.map(({ label }) => (isWrapped ? label.replace(/ (?=\S+$)/, '\n') : label)),
                plot.width - AXIS_WIDTH,
                isWrapped ? WRAPPED_WIDTH : LABEL_WIDTH,
              )
            : splits.map(latest.current.formatPlace ?? format),
      },
      {
        ...look,
        ...{ size: AXIS_WIDTH, space: 30, grid: { stroke: line, width: 1 } },
        ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
        values: (_plot, splits) => splits.map(format),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colour, pattern }, at): UPlot.Series => {
        const stroke = colourOf(element, colour);
        return isBars
          ? {
              ...{ label, stroke, points: { show: false } },
              ...(pattern === undefined
                ? { fill: stroke, width: 0 }
                : { fill: tiled(stroke, pattern), width: 1 }),
              paths: UPlot.paths.bars!({ size: [BAR_SHARE, WIDEST_BAR] }),
            }
          : {
              ...{ label, stroke, width: 2, dash: [...dashOf(at)], points: { show: false } },
              paths: UPlot.paths.stepped!({ align: 1 }),
            };
      }),
    ],
    hooks: { setCursor: [(plot) => latest.current.onPoint(plot.cursor.idx ?? null)] },
  };
}

/** Labels of which as many are left as there is room for. */
function thinned(labels: readonly string[], width: number, room: number): string[] {
  const step = Math.max(1, Math.ceil((labels.length * room) / width));
  return labels.map((label, at) => (at % step === 0 ? label : ''));
}

function tiled(colour: string, pattern: Pattern): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = 12;
  tile.height = 12;
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.stroke(new Path2D(PATTERNS[pattern]));
  return context.createPattern(tile, 'repeat') ?? colour;
}

/** A canvas knows no tokens; what an element is coloured by them it knows. */
function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Counts changes of the theme, of the system's and of the page's own. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const count = (): void => setChanges((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const own = new MutationObserver(count);
    system.addEventListener('change', count);
    own.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', count);
      own.disconnect();
    };
  }, []);
  return changes;
}
