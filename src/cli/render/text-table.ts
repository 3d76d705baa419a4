import { coloured, colouredWord, widthOfOutput } from './terminal.ts';

const GAP = 2;
/** No column is made narrower than this. */
const NARROWEST = 6;

/** Rows under titles, each line no longer than the terminal: the widest columns are cut. */
export function textTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const room = widthOfOutput() - GAP * (titles.length - 1);
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
