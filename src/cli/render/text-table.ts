import { coloured, colouredWord, widthOfOutput } from './terminal.ts';

const GAP = 2;
/** No column is made narrower than this. */
const NARROWEST = 6;
/** A text that is cut to less says nothing: columns of less importance make room for it. */
const LEGIBLE = 24;

/** What a table that is drawn again keeps: which columns it has, and how wide each was at its widest. */
export interface TableShape {
  readonly columns: readonly number[];
  /** Of all columns, in characters. */
  readonly widths: readonly number[];
  /** Of the terminal. */
  readonly room: number;
}

interface ShapeOptions {
  /** As of {@link textTable}. */
  readonly minor: readonly number[];
  /** Width of each column at least. */
  readonly least: readonly number[];
  /** That of the last time; null: it is the first. At a terminal of another width, it counts no more. */
  readonly before: TableShape | null;
}

export function shapeOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { minor, least, before }: ShapeOptions,
): TableShape {
  const room = widthOfOutput();
  const kept = before?.room === room ? before : null;
  const widths = titles.map((title, at) =>
    Math.max(title.length, least[at] ?? 0, kept?.widths[at] ?? 0, ...rows.map((row) => row[at]!.length)),
  );
  return { columns: kept?.columns ?? fitting(widths, minor), widths, room };
}

/**
 * Rows under titles, each line no longer than the terminal: columns that a reader can do without are left out, then the widest ones are cut.
 * @param minor of each column; the largest is left out first, 0 never
 * @param shape of it, where it is to keep one
 */
export function textTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  minor: readonly number[] = [],
  shape: TableShape = shapeOf(titles, rows, { minor, least: [], before: null }),
): string {
  const all = [titles, ...rows];
  const { columns: kept, widths: needed } = shape;
  const lines = all.map((line) => kept.map((at) => line[at]!));
  const widths = kept.map((at) => needed[at]!);
  const room = widthOfOutput() - GAP * (widths.length - 1);
  for (let excess = sum(widths) - room; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= NARROWEST) break;
    widths[widest]!--;
  }
  const line = (cells: readonly string[], style: (text: string) => string): string =>
    cells
      .map((cell, at) => {
        const isLast = at === cells.length - 1;
        const cut = shortened(cell, widths[at]!);
        return style(isLast ? cut : cut.padEnd(widths[at]! + GAP));
      })
      .join('')
      .trimEnd();
  return lines
    .map((cells, at) => line(cells, at === 0 ? (text) => coloured(text, 'bold') : colouredWord))
    .map((text) => `${text}\n`)
    .join('');
}

/** Which columns are shown: all of them where there is room to read each. */
function fitting(widths: readonly number[], minor: readonly number[]): number[] {
  let kept = [...widths.keys()];
  const isTooWide = (): boolean => {
    const legible = kept.map((at) => Math.min(widths[at]!, LEGIBLE));
    return sum(legible) + GAP * (kept.length - 1) > widthOfOutput();
  };
  const byRank = kept.filter((at) => (minor[at] ?? 0) > 0).sort((a, b) => minor[b]! - minor[a]!);
  for (const next of byRank) {
    if (!isTooWide()) break;
    kept = kept.filter((at) => at !== next);
  }
  return kept;
}

/** Names and values of one thing, a line each; long values go on below. */
export function textList(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length)) + GAP;
  return pairs.map(([name, value]) => `${coloured(name.padEnd(width), 'bold')}${value}\n`).join('');
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
