import { coloured, colouredWord, widthOfOutput } from './terminal.ts';

const GAP = 2;
/** No column is made narrower than this. */
const NARROWEST = 6;
/** A text that is cut to less says nothing: columns of less importance make room for it. */
const LEGIBLE = 24;

/**
 * Rows under titles, each line no longer than the terminal: columns that a reader can do without are left out, then the widest ones are cut.
 * @param minor of each column; the largest is left out first, 0 never
 */
export function textTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  minor: readonly number[] = [],
): string {
  const all = [titles, ...rows];
  const needed = titles.map((_, at) => Math.max(...all.map((line) => line[at]!.length)));
  const kept = fitting(needed, minor);
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
